#include "launch.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "commgauge/base/error.hpp"
#include "commgauge/base/files.hpp"
#include "commgauge/model/model.hpp"
#include "commgauge/schedule/choice.hpp"
#include "commgauge/simulate/machine.hpp"
#include "common/completion.hpp"
#include "common/options.hpp"
#include "common/outputs.hpp"
#include "common/preloading.hpp"
#include "common/report.hpp"
#include "variables.hpp"

namespace commgauge::tools {

namespace {

namespace fs = std::filesystem;

constexpr PreloadedLibrary library{COMMGAUGE_EMULATE_LIBRARY, "commgauge_emulate_refuse"};

simulate::Machine load_machine(const Launch& launch) {
  simulate::Machine machine = simulate::machine_of(load_model(launch.model), launch.kind);
  if (launch.hosts.has_value() != launch.ranks_per_host.has_value()) {
    throw InputError(
        "--hosts without --ranks-per-host, or the other way round (a larger machine needs both): "
        "give both");
  }
  if (launch.hosts) machine = simulate::extend(machine, *launch.hosts, *launch.ranks_per_host);
  if (launch.ignores_growth) machine.has_growth = false;
  if (!launch.speeds.empty()) {
    machine.time_ratios =
        simulate::time_ratios_from_csv(read_file(launch.speeds), launch.speeds, machine.ranks);
  }
  machine.disturbances = launch.disturbances;
  for (int rank = 0; rank < machine.ranks; ++rank) {
    (void)simulate::Processor(machine.disturbances, rank);
  }
  if (launch.follows_real_time && !machine.disturbances.empty()) {
    throw InputError(
        "--disturb needs virtual time (in real time the machine itself disturbs): "
        "leave out --real-time");
  }
  if (launch.follows_real_time &&
      std::ranges::any_of(machine.time_ratios, [](double ratio) { return ratio < 1; })) {
    throw InputError(launch.speeds +
                     ": a time ratio is below 1 (in real time this processor can't compute faster "
                     "than it does): give at least 1, or leave out --real-time");
  }
  return machine;
}

std::string absolute(const std::string& file) {
  return file.empty() || file == "-" ? file : fs::absolute(file).string();
}

}  // namespace

void add_options(CLI::App& app, Launch& launch) {
  add_file(app, "--model", launch.model, "The model file of the machine, from estimate-model")
      ->required();
  with_words(app.add_option("--kind", launch.kind,
                            "Which model of the file (default: the best-ranked of those that can "
                            "be emulated)"),
             simulate::emulated_models())
      ->type_name("NAME");
  add_whole(
      app, "--hosts", launch.hosts,
      "A machine of so many hosts like those of the model, in turn; ranks count host by host");
  add_whole(app, "--ranks-per-host", launch.ranks_per_host,
            "With --hosts: ranks of each, like those of the model's hosts, in turn");
  add_file(app, "--speeds", launch.speeds,
           "CSV rank,time_ratio: seconds of computing on the machine for one here (default: 1)");
  add_choice<std::string>(app, "--compute", launch.compute, {{"cpu", "cpu"}, {"none", "none"}},
                          "What computing costs: the thread's CPU time, or nothing (default: cpu)");
  add_text(app, "--collectives",
           "How collective operations are carried out: mpich, as MPICH 4.0 chooses, each rank on a "
           "host of its own; ompi, as Open MPI 4.1 does; trees, the same at all sizes; flat, the "
           "root deals with everyone; and of single ones by OPERATION=ALGORITHM, as in "
           "mpich,allreduce=reduce-bcast (default: mpich)",
           [&launch](const std::string& text) {
             (void)schedule::choice_from(text);
             launch.collectives = text;
           })
      ->type_name("NAMES");
  add_text(app, "--disturb",
           "What others take of a rank's processor, in virtual time; repeat it for several. "
           "rank=1,from=0.5,until=0.7,speed=0.5: half of it; "
           "rank=*,period=100ms,length=10ms: 10 ms of every 100",
           [&launch](const std::string& text) {
             launch.disturbances.push_back(simulate::parse_disturbance(text));
           })
      ->type_name("SPEC")
      ->trigger_on_parse();
  app.add_flag("--no-growth", launch.ignores_growth,
               "Of the LogP family: overheads don't depend on the number of ranks");
  app.add_flag("--real-time", launch.follows_real_time,
               "Ranks really wait until their emulated times, for programs that look at other "
               "clocks; the processors of the machine must not be faster than this one");
  add_file(app, "--report", launch.report, "JSON file to write: each rank's time and its shares");
  add_file(app, "--trace", launch.trace, "File of Chrome trace events to write, for Perfetto");
  app.prefix_command();
  app.footer(
      "Messages cost what the model says, and clocks tell virtual time. Start it under mpiexec,\n"
      "with the program and its arguments after the options.\n"
      "Example:\n"
      "  mpiexec -n 16 emulate --model model.json ./solver 1000\n"
      "  mpiexec -n 4 emulate --model model.json --kind lmo --report report.json ./solver 1000\n"
      "  mpiexec -n 64 emulate --model model.json --hosts 16 --ranks-per-host 4 ./solver 1000\n"
      "  mpiexec -n 4 emulate --model model.json --disturb rank=1,from=2,until=4 ./solver 1000");
}

namespace {

[[noreturn]] void start(const Launch& launch) {
  check_program(launch.program, {"emulated", "the emulation"});
  check_outputs({{"--report", launch.report}, {"--trace", launch.trace}},
                {{"--model", launch.model}, {"--speeds", launch.speeds}});
  const simulate::Machine machine = load_machine(launch);
  if (!machine.passed_over.empty() && is_first_of_launcher()) {
    const std::size_t advice = machine.passed_over.rfind("): ");
    say(machine.passed_over.substr(0, advice + 1) + ": " + machine.kind + " is used instead");
  }
  set_variable(emulate::variable::machine,
               std::to_string(hand_over("the model", simulate::to_bytes(machine))));
  set_variable(emulate::variable::compute, launch.compute);
  set_variable(emulate::variable::collectives, launch.collectives);
  set_variable(emulate::variable::real_time, launch.follows_real_time ? "yes" : "");
  set_variable(emulate::variable::process, std::to_string(getpid()));
  set_variable(emulate::variable::speaks, is_first_of_launcher() ? "yes" : "");
  set_variable(emulate::variable::report, absolute(launch.report));
  set_variable(emulate::variable::trace, absolute(launch.trace));
  become(launch.program, library);
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
