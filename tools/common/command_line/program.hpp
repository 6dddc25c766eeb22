#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commgauge/base/exit_code.hpp"
#include "common/process/session.hpp"

namespace commgauge::tools {

/// What the command line asks for: at most one of the two is set.
struct Job {
  std::function<ExitCode()> local;                   ///< without MPI
  std::function<ExitCode(const Session&)> parallel;  ///< collective
};

/// Adds one subcommand to `app`. Parsing it sets `job`, which must outlive the parsing.
using AddCommand = void (*)(CLI::App& app, Job& job);

/// A program named `program_name` with subcommands.
struct Program {
  std::string description;
  std::vector<AddCommand> commands;
  std::vector<std::string_view> parallel;  ///< names of the subcommands whose job is parallel
  /// How these start theirs: start_session.
  std::unique_ptr<Session> (*start)(int& argc, char**& argv){};
};

/// Gives an app what all programs have: its version, and the form of its `--help`.
void furnish(CLI::App& app);

/// Parses the command line, and answers what it asks about the program itself.
/// @return the exit code, where nothing else is to be done: that, or a usage error.
[[nodiscard]] std::optional<ExitCode> parse(CLI::App& app, int argc, char** argv, bool speaks);

/// Parses the command line and does what it asks for.
/// @return the exit code, as a number for main.
[[nodiscard]] int run_program(const Program& program, int argc, char** argv);

}  // namespace commgauge::tools
