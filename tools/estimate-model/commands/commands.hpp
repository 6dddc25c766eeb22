#pragma once

#include "common/command_line/program.hpp"

namespace commgauge::tools {

void add_calibrate(CLI::App& app, Job& job);
void add_fit(CLI::App& app, Job& job);
void add_show(CLI::App& app, Job& job);
void add_predict(CLI::App& app, Job& job);
void add_validate(CLI::App& app, Job& job);
void add_refresh(CLI::App& app, Job& job);
void add_compare(CLI::App& app, Job& job);
void add_export(CLI::App& app, Job& job);
void add_tasks(CLI::App& app, Job& job);

}  // namespace commgauge::tools
