#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "commgauge/base/exit_code.hpp"
#include "record/recording.hpp"

namespace commgauge::tools {

/// What the command line asks for.
struct Launch {
  Recording recording;
  std::vector<std::string> program;  ///< and its arguments
};

void add_options(CLI::App& app, Launch& launch);

/// This process goes on as the program, with the recorder loaded.
/// @return only if the program can't be started. @throws InputError
[[nodiscard]] ExitCode become_program(const Launch& launch);

}  // namespace commgauge::tools
