#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "commgauge/base/exit_code.hpp"
#include "record/recording.hpp"
#include "record/speed.hpp"

namespace commgauge::tools {

/// What the command line asks for.
struct Launch {
  Recording recording;
  SpeedQuestion speed;               ///< asked instead of a recording
  std::vector<std::string> program;  ///< and its arguments
};

void add_options(CLI::App& app, Launch& launch);

/// This process goes on as the program, with the recorder loaded; or it measures the processor.
/// @return then, and if the program can't be started. @throws InputError
[[nodiscard]] ExitCode carry_out(const Launch& launch);

}  // namespace commgauge::tools
