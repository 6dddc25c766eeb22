#include "record/launch.hpp"

#include "commgauge/base/error.hpp"
#include "common/command_line/options.hpp"
#include "common/output/report.hpp"
#include "common/process/preloading.hpp"

namespace commgauge::tools {

namespace {

[[noreturn]] void start(const Launch& launch) {
  if (launch.recording.output.empty()) {
    throw InputError("--output is required (the trace needs a place): give -o DIR");
  }
  const PreloadedLibrary library =
      library_for(launch.program, recording_libraries, {"recorded", "the recording"});
  set_up_recording(launch.recording, launch.program);
  become(launch.program, {library, thread_following_library});
}

}  // namespace

void add_options(CLI::App& app, Launch& launch) {
  add_file(app, "-o,--output", launch.recording.output,
           "Directory to make: the OTF2 archive; with --speed a JSON file, -: instead of the text")
      ->type_name("DIR");
  add_choice<std::string>(app, "--clock", launch.recording.clock,
                          {{"cpu", "cpu"}, {"wall", "wall"}},
                          "How long the program computes between two calls: by the CPU time of its "
                          "thread, or by real time, which costs less to read (default: cpu)");
  add_speed_options(app, launch.speed);
  app.prefix_command();
  app.footer(
      "Start it under mpiexec, with the program and its arguments after the options. The program\n"
      "must be dynamically linked, and must come to MPI_Finalize.\n"
      "Example:\n"
      "  mpiexec -n 16 record -o trace ./solver 1000\n"
      "  otf2-print trace/traces.otf2\n"
      "  record --speed -o here.json      # and on another machine:\n"
      "  record --speed --against here.json -o ratio.json\n"
      "Without the launcher: link the program with -lcommgauge_record before the MPI library (and\n"
      "with -lcommgauge_record_threads before that of its threads, if it has several), and\n"
      "set COMMGAUGE_RECORD_OUTPUT to the directory (COMMGAUGE_RECORD_CLOCK: cpu or wall).");
}

ExitCode carry_out(const Launch& launch) {
  if (launch.speed.is_asked) {
    if (launch.program.empty()) return measure_speed(launch.speed, launch.recording.output);
    throw InputError(
        "--speed with a program (it measures the processor, and runs nothing else): "
        "leave one of them out");
  }
  try {
    start(launch);
  } catch (const InputError& error) {
    if (has_launcher()) end_job(library_of_launcher(recording_libraries), error.what());
    throw;
  }
}

}  // namespace commgauge::tools
