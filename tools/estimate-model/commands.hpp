#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "common/exit_code.hpp"
#include "common/session.hpp"

namespace commgauge::tools {

/// What the command line asks for: at most one of the two is set.
struct Job {
  std::function<ExitCode()> local;                   ///< without MPI
  std::function<ExitCode(const Session&)> parallel;  ///< collective
};

/// Each adds one subcommand to `app`. Parsing it sets `job`, which must outlive the parsing.
void add_calibrate(CLI::App& app, Job& job);
void add_fit(CLI::App& app, Job& job);
void add_show(CLI::App& app, Job& job);
void add_predict(CLI::App& app, Job& job);
void add_validate(CLI::App& app, Job& job);
void add_compare(CLI::App& app, Job& job);

}  // namespace commgauge::tools
