#include "common/command_line/program.hpp"
#include "common/output/report.hpp"
#include "replay/commands/commands.hpp"

const char* const commgauge::tools::program_name = "replay";

int main(int argc, char** argv) {
  using namespace commgauge::tools;
  const Program program{
      "Tells how long a recorded MPI program would take on the machine of a model file.",
      {add_run, add_explain, add_what_if, add_info, add_goal},
      {}};
  return run_program(program, argc, argv);
}
