#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "commgauge/base/exit_code.hpp"

namespace commgauge::tools {

/// What is asked of this machine's processor.
struct SpeedQuestion {
  bool is_asked{};
  std::string against;  ///< file: what another one was measured to be; empty: none
  std::string kernel;   ///< whose ratio is taken; empty: any may be the program's
};

/// --speed, --against, --kernel
void add_speed_options(CLI::App& app, SpeedQuestion& question);

/// Measures the processor, for three seconds.
/// @param output  JSON file to write; `-`: instead of the text. Empty: none
/// @throws InputError
[[nodiscard]] ExitCode measure_speed(const SpeedQuestion& question, const std::string& output);

}  // namespace commgauge::tools
