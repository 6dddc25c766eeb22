#include <CLI/CLI.hpp>
#include <exception>
#include <string>
#include <vector>

#include "common/exit_code.hpp"
#include "common/report.hpp"
#include "launch.hpp"

const char* const commgauge::tools::program_name = "emulate";

int main(int argc, char** argv) {
  using namespace commgauge::tools;
  CLI::App app{
      "Runs an MPI program as if on the machine that a model file describes: its messages cost\n"
      "what the model says, and MPI_Wtime tells virtual time.\n"
      "Start it as mpiexec -n RANKS emulate --model FILE [OPTIONS] PROGRAM [ARGUMENTS]",
      program_name};
  app.set_version_flag("--version", std::string{program_name} + " " COMMGAUGE_VERSION);
  app.footer(
      "Example: mpiexec -n 16 emulate --model model.json --report report.json ./solver 1000");
  Launch launch;
  add_options(app, launch);
  const bool speaks = is_first_of_launcher();
  try {
    app.parse(argc, argv);
    launch.program = app.remaining();
  } catch (const CLI::Success& request) {
    return speaks ? app.exit(request) : 0;
  } catch (const CLI::ParseError& error) {
    if (speaks) say(std::string{error.what()} + ": see emulate --help");
    return static_cast<int>(ExitCode::bad_input);
  }
  return static_cast<int>(guarded(speaks, [&] { return become_program(launch); }));
}
