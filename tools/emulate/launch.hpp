#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "commgauge/base/exit_code.hpp"
#include "commgauge/base/units.hpp"
#include "machine/machine_options.hpp"

namespace commgauge::tools {

/// What the command line asks for.
struct Launch {
  MachineOptions machine;
  std::string compute{"cpu"};
  std::string files;     ///< as the library takes it; empty: as computing is
  int cores_per_rank{};  ///< 0: no limit
  std::string report;
  std::string trace;
  std::string record;
  bool follows_real_time{};
  std::optional<Seconds> stall_limit;
  std::string given;                 ///< all options, in lines
  std::vector<std::string> program;  ///< and its arguments
};

void add_options(CLI::App& app, Launch& launch);

/// This process goes on as the program, with the emulation loaded.
/// @return only if the program can't be started. @throws InputError
[[nodiscard]] ExitCode become_program(const Launch& launch);

}  // namespace commgauge::tools
