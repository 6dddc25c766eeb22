#include "common/output/report.hpp"
#include "estimate-model/commands/commands.hpp"

const char* const commgauge::tools::program_name = "estimate-model";

int main(int argc, char** argv) {
  using namespace commgauge::tools;
  const Program program{"Measures how an MPI machine communicates and fits models that predict it.",
                        {add_calibrate, add_fit, add_show, add_predict, add_validate, add_refresh,
                         add_compare, add_export, add_tasks},
                        {"calibrate", "validate", "refresh"},
                        start_session};
  return run_program(program, argc, argv);
}
