#include "machine/machine_options.hpp"

#include <algorithm>
#include <limits>
#include <sstream>
#include <utility>

#include "commgauge/base/error.hpp"
#include "commgauge/base/file_kind.hpp"
#include "commgauge/base/files.hpp"
#include "commgauge/schedule/choice.hpp"
#include "common/command_line/completion.hpp"
#include "common/command_line/options.hpp"
#include "common/output/report.hpp"

namespace commgauge::tools {

namespace {

/// Numbers with commas or space between them; # begins a comment.
std::vector<int> places_in(std::string text) {
  for (std::size_t start = text.find('#'); start != std::string::npos; start = text.find('#')) {
    text.erase(start, std::min(text.find('\n', start), text.size()) - start);
  }
  std::ranges::replace(text, ',', ' ');
  std::istringstream words(text);
  std::vector<int> places;
  for (std::string word; words >> word;) {
    places.push_back(static_cast<int>(parse_whole(word, 0, std::numeric_limits<int>::max())));
  }
  return places;
}

bool is_list_of_places(const std::string& text) {
  return text.find_first_not_of("0123456789,") == std::string::npos;
}

std::optional<simulate::Placement> placement_of(const std::string& said) {
  if (said.empty()) return {};
  const std::string name = "--placement " + said;
  try {
    const bool is_list = is_list_of_places(said);
    const std::string text = is_list ? said : read_file(said);
    refuse_other_kinds(text, said, "a list of places");
    return simulate::Placement{places_in(text), name};
  } catch (const InputError& error) {
    throw InputError(name + ": " + error.what());
  }
}

}  // namespace

simulate::WantedMachine wanted_of(const MachineOptions& options) {
  simulate::WantedMachine wanted;
  wanted.kind = options.kind;
  want_hosts(options.larger, wanted);
  if (!options.time_ratio.empty()) wanted.time_ratios = options.time_ratio;
  wanted.placement = placement_of(options.placement);
  wanted.disturbances = options.disturbances;
  wanted.ignores_growth = options.ignores_growth;
  wanted.requests_queue = options.requests_queue;
  wanted.sharing = options.sharing;
  wanted.jitter = options.jitter;
  return wanted;
}

void add_machine_options(CLI::App& app, MachineOptions& options, std::string_view usual_jitter) {
  CLI::Option* const model =
      add_file(app, "--model", options.model,
               "The model file of the machine, from estimate-model; it or --topology is required");
  CLI::Option* const topology = add_topology_options(app, options.topology)->excludes(model);
  topology->excludes(
      with_words(
          app.add_option("--kind", options.kind,
                         "Which model of the file (default: the best-ranked of those that can "
                         "be emulated)"),
          simulate::emulated_models())
          ->type_name("NAME"));
  add_larger_machine(app, options.larger);
  for (const char* option : {"--hosts", "--hosts-from", "--ranks-per-host"}) {
    topology->excludes(app.get_option(option));
  }
  add_file(app, "--time-ratio,--speeds", options.time_ratio,
           "Seconds of computing on the machine for one here, or where the program was recorded: a "
           "number; what record --speed --against wrote; CSV rank,time_ratio (default: 1)")
      ->type_name("X|FILE");
  add_file(app, "--placement", options.placement,
           "Which of the machine's ranks, or processors, each rank is: numbers with commas between "
           "them, or a file of such (default: the first ones, in their order)");
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
  const std::vector<std::pair<std::string, std::optional<bool>>> orders{{"pass", false},
                                                                        {"queue", true}};
  add_choice(app, "--requests", options.requests_queue, orders,
             "Requests of messages above the eager limit, and answers to them: pass the data that "
             "their sender sends, or queue behind them, as over TCP (default: queue where the "
             "model file says how messages of several hosts scatter, else pass)");
  const std::vector<std::pair<std::string, std::optional<simulate::Sharing>>> sharings{
      {"none", simulate::Sharing::none},
      {"rendezvous", simulate::Sharing::rendezvous},
      {"all", simulate::Sharing::all}};
  add_choice(
      app, "--sharing", options.sharing, sharings,
      "Which messages share ports and links fairly while their bytes are under way together: "
      "none, each passes them in turn; rendezvous, all but the eager messages of one pair, "
      "which follow one another, as over TCP; all (default: as measured, none where the model file "
      "doesn't say)");
  add_text(app, "--jitter",
           "Each message is late by chance: draw 7 of what the model file says of it, or of a mean "
           "lateness, as in 7:50us; none: no message is. Ranks that wait for one another may fall "
           "out of step by it (default: " +
               std::string(usual_jitter) + ")",
           [&options](const std::string& text) { options.jitter = simulate::parse_jitter(text); })
      ->type_name("none|SEED[:MEAN]");
  topology->excludes(
      app.add_flag("--no-growth", options.ignores_growth,
                   "Of the LogP family: overheads don't depend on the number of ranks"));
}

simulate::Machine machine_of(const MachineOptions& options) {
  const simulate::WantedMachine wanted = wanted_of(options);
  if (!options.topology.name.empty()) return machine_of(options.topology, wanted);
  if (!options.model.empty()) {
    const Model model = as_large(load_model(options.model), options.larger);
    return simulate::build(model, wanted);
  }
  throw InputError(
      "--model or --topology is required (nothing says what messages cost): give one of them");
}

LargerModel model_of(const MachineOptions& options) {
  return simulate::model_for(load_model(options.model), wanted_of(options));
}

std::vector<NamedFile> files_of(const MachineOptions& options) {
  const auto where = [](bool is_file, const std::string& name) { return is_file ? name : ""; };
  return {{"--model", options.model},
          {"--topology", where(!simulate::generated(options.topology.name), options.topology.name)},
          {"--hosts-from", options.larger.hosts_from},
          {"--time-ratio", options.time_ratio},
          {"--placement", where(!is_list_of_places(options.placement), options.placement)}};
}

}  // namespace commgauge::tools
