#pragma once

#include "common/command_line/program.hpp"

namespace commgauge::tools {

// The subcommands of replay, each in the file of its name.
void add_run(CLI::App& app, Job& job);
void add_explain(CLI::App& app, Job& job);
void add_info(CLI::App& app, Job& job);
void add_what_if(CLI::App& app, Job& job);
void add_goal(CLI::App& app, Job& job);

}  // namespace commgauge::tools
