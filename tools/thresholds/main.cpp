#include "common/output/report.hpp"
#include "thresholds/commands.hpp"

const char* const commgauge::tools::program_name = "thresholds";

int main(int argc, char** argv) {
  using namespace commgauge::tools;
  const Program program{"Finds the message sizes at which an MPI machine changes its behaviour.",
                        {add_measure, add_fit},
                        {"measure"},
                        start_session};
  return run_program(program, argc, argv);
}
