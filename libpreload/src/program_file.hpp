#pragma once

#include <string>

namespace commgauge::preload {

/// What is to be done with a program, for messages: {"emulated", "the emulation"}.
struct Purpose {
  const char* done;
  const char* doing;
};

/// Why a library can't be loaded into the program of this name, found as execvp does; empty if it
/// can, or if that is no binary program.
[[nodiscard]] std::string why_not(const Purpose& purpose, const std::string& program);

}  // namespace commgauge::preload
