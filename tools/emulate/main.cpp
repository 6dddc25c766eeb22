#include <CLI/CLI.hpp>

#include "common/command_line/program.hpp"
#include "common/output/report.hpp"
#include "emulate/launch.hpp"

const char* const commgauge::tools::program_name = "emulate";

int main(int argc, char** argv) {
  using namespace commgauge::tools;
  CLI::App app{
      "Runs an MPI program as if on the machine that a model file, or a topology, describes.",
      program_name};
  furnish(app);
  Launch launch;
  add_options(app, launch);
  const bool speaks = is_first_of_launcher();
  const auto code = guarded(speaks, [&] {
    if (const auto end = parse(app, argc, argv, speaks)) return *end;
    launch.program = app.remaining();
    launch.given = app.config_to_str();
    return become_program(launch);
  });
  return static_cast<int>(after_who_speaks(code, speaks));
}
