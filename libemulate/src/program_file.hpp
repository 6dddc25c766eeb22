#pragma once

#include <string>

namespace commgauge::emulate {

/// Why the emulation can't be loaded into the program of this name, found as execvp does; empty if
/// it can, or if that is no binary program.
[[nodiscard]] std::string why_not_emulated(const std::string& program);

}  // namespace commgauge::emulate
