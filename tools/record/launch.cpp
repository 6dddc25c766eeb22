#include "launch.hpp"

#include <unistd.h>

#include <filesystem>

#include "commgauge/base/error.hpp"
#include "common/options.hpp"
#include "common/preloading.hpp"
#include "common/report.hpp"
#include "variables.hpp"
#include "watcher.hpp"

namespace commgauge::tools {

namespace {

constexpr PreloadedLibrary library{COMMGAUGE_RECORD_LIBRARY, "commgauge_record_refuse"};

std::string in_one_line(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
  return line;
}

[[noreturn]] void start(const Launch& launch) {
  namespace variable = record::variable;
  check_program(launch.program, {"recorded", "the recording"});
  const int file = hand_over("a mark", "");
  set_variable(variable::output, std::filesystem::absolute(launch.output).string());
  set_variable(variable::clock, launch.clock);
  set_variable(variable::program, in_one_line(launch.program));
  set_variable(variable::file, std::to_string(file));
  set_variable(variable::process, std::to_string(getpid()));
  set_variable(variable::speaks, is_first_of_launcher() ? "yes" : "");
  if (is_first_of_launcher()) watch_the_end(file, launch.output);
  become(launch.program, library);
}

}  // namespace

void add_options(CLI::App& app, Launch& launch) {
  add_file(app, "-o,--output", launch.output, "Directory to make: the OTF2 archive")
      ->required()
      ->type_name("DIR");
  add_choice<std::string>(app, "--clock", launch.clock, {{"cpu", "cpu"}, {"wall", "wall"}},
                          "How long the program computes between two calls: by the CPU time of its "
                          "thread, or by real time, which costs less to read (default: cpu)");
  app.prefix_command();
  app.footer(
      "Start it under mpiexec, with the program and its arguments after the options. The program\n"
      "must be dynamically linked, and must come to MPI_Finalize.\n"
      "Example:\n"
      "  mpiexec -n 16 record -o trace ./solver 1000\n"
      "  otf2-print trace/traces.otf2\n"
      "Without the launcher: link the program with -lcommgauge_record before the MPI library, and\n"
      "set COMMGAUGE_RECORD_OUTPUT to the directory (COMMGAUGE_RECORD_CLOCK: cpu or wall).");
}

ExitCode become_program(const Launch& launch) {
  try {
    start(launch);
  } catch (const InputError& error) {
    if (has_launcher()) end_job(library, error.what());
    throw;
  }
}

}  // namespace commgauge::tools
