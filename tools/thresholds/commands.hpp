#pragma once

#include "common/command_line/program.hpp"

namespace commgauge::tools {

void add_measure(CLI::App& app, Job& job);
void add_fit(CLI::App& app, Job& job);

}  // namespace commgauge::tools
