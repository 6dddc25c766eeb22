#include "emulate/launch.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "commgauge/base/error.hpp"
#include "commgauge/base/files.hpp"
#include "common/command_line/options.hpp"
#include "common/output/outputs.hpp"
#include "common/output/report.hpp"
#include "common/process/preloading.hpp"
#ifdef COMMGAUGE_HAS_OTF2
#include "record/recording.hpp"
#endif
#include "base/emulation_variables.hpp"

namespace commgauge::tools {

namespace {

const PreloadedLibrary library{COMMGAUGE_EMULATE_LIBRARY, "commgauge_emulate_refuse", "mpich"};

simulate::Machine load_machine(const Launch& launch) {
  MachineOptions options = launch.machine;
  if (options.jitter.is_open() && launch.compute != "none") {
    options.jitter = {.seed = std::random_device{}() % 10'000, .where_known = true};
  }
  simulate::Machine machine = machine_of(options);
  if (launch.follows_real_time && !machine.disturbances.empty()) {
    throw InputError(
        "--disturb needs virtual time (in real time the machine itself disturbs): "
        "leave out --real-time");
  }
  if (launch.follows_real_time &&
      std::ranges::any_of(machine.time_ratios,
                          [](const Estimate& ratio) { return ratio.value < 1; })) {
    throw InputError(launch.machine.time_ratio +
                     ": a time ratio is below 1 (in real time this processor can't compute faster "
                     "than it does): give at least 1, or leave out --real-time");
  }
  return machine;
}

/// What this rank hands to the library: the first one's shares the machine with the others, so
/// these hand over none. Where it isn't known that the program calls MPI each rank reads it
/// nevertheless: what is wrong has to end those that the first one can't meet in MPI_Init.
std::string machine_to_hand_over(const Launch& launch) {
  const bool is_first = is_first_of_launcher();
  if (!is_first && !preload::mpi_library_of(launch.program.front()).empty()) return "";
  const simulate::Machine machine = load_machine(launch);
  if (!is_first) return "";
  for (const Diagnostic& note : machine.notes) say(note.text());
  for (const Diagnostic& doubt : machine.speed_doubts) say(doubt.text());
  return simulate::to_bytes(machine);
}

/// What the library takes for --files.
std::string file_costs(const std::string& text) {
  if (text == "measured") return text;
  if (text == "none") return "0";
  const std::string size = text.ends_with("/s") ? text.substr(0, text.size() - 2) : text;
  const Bytes in_a_second = parse_size(size);
  if (in_a_second.value == 0) {
    throw InputError(
        "a bandwidth of nothing (no file operation would end): give one such as 1GB/s, or none");
  }
  std::array<char, 32> seconds{};
  std::snprintf(seconds.data(), seconds.size(), "%.17g",
                1 / static_cast<double>(in_a_second.value));
  return seconds.data();
}

std::string costs_of_files(const Launch& launch) {
  if (!launch.files.empty()) return launch.files;
  return launch.compute == "none" ? "0" : "measured";
}

std::string absolute(const std::string& file) {
  return file.empty() || file == "-" ? file : absolute_path(file).string();
}

}  // namespace

void add_options(CLI::App& app, Launch& launch) {
  add_machine_options(app, launch.machine,
                      "another draw in each run, if the model file says; none with --compute none");
  add_choice<std::string>(app, "--compute", launch.compute, {{"cpu", "cpu"}, {"none", "none"}},
                          "What computing costs: the thread's CPU time, or nothing (default: cpu)");
  add_text(app, "--files",
           "What the data of file operations cost: the time that they take here, nothing, or a "
           "bandwidth of each rank such as 1GB/s (default: measured; none with --compute none)",
           [&launch](const std::string& text) { launch.files = file_costs(text); })
      ->type_name("measured|none|BANDWIDTH");
  app.add_option("--cores-per-rank", launch.cores_per_rank,
                 "How many threads of a rank compute at once; the others wait for a core "
                 "(default: no limit)")
      ->check(CLI::PositiveNumber);
  app.add_flag("--real-time", launch.follows_real_time,
               "Ranks really wait until their emulated times, for programs that look at other "
               "clocks; the processors of the machine must not be faster than this one");
  add_stall_limit(app, launch.stall_limit,
                  "a rank neither calls MPI nor ends while others wait for it");
  add_file(app, "--report", launch.report, "JSON file to write: each rank's time and its shares");
  add_file(app, "--trace", launch.trace, "File of Chrome trace events to write, for Perfetto");
#ifdef COMMGAUGE_HAS_OTF2
  add_file(app, "--record", launch.record,
           "Directory to make: an OTF2 archive of what the program did, for replay")
      ->type_name("DIR");
#endif
  app.prefix_command();
  app.footer(
      "Messages cost what the model or topology says, and clocks tell virtual time. Start it under "
      "mpiexec,\n"
      "with the program and its arguments after the options.\n"
      "Example:\n"
      "  mpiexec -n 16 emulate --model model.json ./solver 1000\n"
      "  mpiexec -n 4 emulate --model model.json --kind lmo --report report.json ./solver 1000\n"
      "  mpiexec -n 64 emulate --model model.json --hosts 16 --ranks-per-host 4 ./solver 1000\n"
      "  mpiexec -n 4 emulate --model model.json --disturb rank=1,from=2,until=4 ./solver 1000");
}

namespace {

[[noreturn]] void start(const Launch& launch) {
  PreloadedLibraries libraries{
      library_for(launch.program, {library}, {"emulated", "the emulation"})};
  check_outputs({{"--report", launch.report}, {"--trace", launch.trace}}, files_of(launch.machine));
  set_variable(emulate::variable::machine,
               std::to_string(hand_over("the machine", machine_to_hand_over(launch))));
  set_variable(emulate::variable::compute, launch.compute);
  set_variable(emulate::variable::files, costs_of_files(launch));
  set_variable(emulate::variable::cores, std::to_string(launch.cores_per_rank));
  set_variable(emulate::variable::collectives, launch.machine.collectives);
  set_variable(emulate::variable::real_time, launch.follows_real_time ? "yes" : "");
  set_variable(emulate::variable::stall_limit,
               launch.stall_limit ? std::to_string(launch.stall_limit->value) : "");
  set_variable(emulate::variable::process, std::to_string(getpid()));
  set_variable(emulate::variable::speaks, is_first_of_launcher() ? "yes" : "");
  set_variable(emulate::variable::options, launch.given);
  set_variable(emulate::variable::report, absolute(launch.report));
  set_variable(emulate::variable::trace, absolute(launch.trace));
  // Threads of a team that wait by spinning take the cores from those that others wait for.
  if (!launch.follows_real_time && std::getenv("OMP_WAIT_POLICY") == nullptr) {
    set_variable("OMP_WAIT_POLICY", "passive");
  }
#ifdef COMMGAUGE_HAS_OTF2
  if (!launch.record.empty()) {
    set_up_recording({launch.record}, launch.program);
    libraries.insert(libraries.begin(), recording_libraries.front());
  }
#endif
  become(launch.program, libraries);
}

}  // namespace

ExitCode become_program(const Launch& launch) {
  try {
    start(launch);
  } catch (const InputError& error) {
    if (has_launcher()) end_job(library, error.what());
    throw;
  }
}

}  // namespace commgauge::tools
