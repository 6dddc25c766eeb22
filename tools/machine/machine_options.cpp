#include "machine/machine_options.hpp"

#include "commgauge/base/error.hpp"
#include "commgauge/schedule/choice.hpp"
#include "common/completion.hpp"
#include "common/options.hpp"

namespace commgauge::tools {

void add_machine_options(CLI::App& app, MachineOptions& options) {
  add_file(app, "--model", options.model, "The model file of the machine, from estimate-model")
      ->required();
  with_words(app.add_option("--kind", options.kind,
                            "Which model of the file (default: the best-ranked of those that can "
                            "be emulated)"),
             simulate::emulated_models())
      ->type_name("NAME");
  add_whole(
      app, "--hosts", options.hosts,
      "A machine of so many hosts like those of the model, in turn; ranks count host by host");
  add_whole(app, "--ranks-per-host", options.ranks_per_host,
            "With --hosts: ranks of each, like those of the model's hosts, in turn");
  add_file(app, "--time-ratio,--speeds", options.time_ratio,
           "Seconds of computing on the machine for one here, or where the program was recorded: a "
           "number; what record --speed --against wrote; CSV rank,time_ratio (default: 1)")
      ->type_name("X|FILE");
  add_text(app, "--collectives",
           "How collective operations are carried out: mpich, as MPICH 4.0 chooses, each rank on a "
           "host of its own; ompi, as Open MPI 4.1 does; trees, the same at all sizes; flat, the "
           "root deals with everyone; and of single ones by OPERATION=ALGORITHM, as in "
           "mpich,allreduce=reduce-bcast (default: mpich)",
           [&options](const std::string& text) {
             (void)schedule::choice_from(text);
             options.collectives = text;
           })
      ->type_name("NAMES");
  add_text(app, "--disturb",
           "What others take of a rank's processor, in virtual time; repeat it for several. "
           "rank=1,from=0.5,until=0.7,speed=0.5: half of it; "
           "rank=*,period=100ms,length=10ms: 10 ms of every 100",
           [&options](const std::string& text) {
             options.disturbances.push_back(simulate::parse_disturbance(text));
           })
      ->type_name("SPEC")
      ->trigger_on_parse();
  app.add_flag("--no-growth", options.ignores_growth,
               "Of the LogP family: overheads don't depend on the number of ranks");
}

simulate::Machine machine_of(const MachineOptions& options, const Model& model) {
  simulate::Machine machine = simulate::machine_of(model, options.kind);
  if (options.hosts.has_value() != options.ranks_per_host.has_value()) {
    throw InputError(
        "--hosts without --ranks-per-host, or the other way round (a larger machine needs both): "
        "give both");
  }
  if (options.hosts) machine = simulate::extend(machine, *options.hosts, *options.ranks_per_host);
  if (options.ignores_growth) machine.has_growth = false;
  if (!options.time_ratio.empty()) {
    machine.time_ratios = simulate::time_ratios_from(options.time_ratio, machine.ranks);
  }
  machine.disturbances = options.disturbances;
  for (int rank = 0; rank < machine.ranks; ++rank) {
    (void)simulate::Processor(machine.disturbances, rank);
  }
  return machine;
}

}  // namespace commgauge::tools
