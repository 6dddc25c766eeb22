#include <CLI/CLI.hpp>

#include "common/command_line/program.hpp"
#include "common/output/report.hpp"
#include "record/launch.hpp"

const char* const commgauge::tools::program_name = "record";

int main(int argc, char** argv) {
  using namespace commgauge::tools;
  CLI::App app{"Runs an MPI program and leaves an OTF2 archive of what it did.", program_name};
  furnish(app);
  Launch launch;
  add_options(app, launch);
  const bool speaks = is_first_of_launcher();
  const auto code = guarded(speaks, [&] {
    if (const auto end = parse(app, argc, argv, speaks)) return *end;
    launch.program = app.remaining();
    return carry_out(launch);
  });
  return static_cast<int>(after_who_speaks(code, speaks));
}
