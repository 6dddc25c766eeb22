#include "machine/topology_options.hpp"

#include <utility>
#include <vector>

#include "commgauge/base/files.hpp"
#include "common/command_line/options.hpp"

namespace commgauge::tools {

namespace {

using simulate::Switching;

const std::vector<std::pair<std::string, Switching>>& switchings() {
  static const std::vector<std::pair<std::string, Switching>> all{
      {"store-and-forward", Switching::store_and_forward}, {"wormhole", Switching::wormhole}};
  return all;
}

}  // namespace

CLI::Option* add_topology_options(CLI::App& app, TopologyOptions& options) {
  CLI::Option* const topology =
      add_file(app, "--topology", options.name,
               "Processors and their links in place of a model: ring:8, mesh:4x4, torus:4x4x2, "
               "hypercube:16, tree:15, tree:13,3 (three below each), full:8; or a file with a line "
               "like 0: 1 3 for each processor, those that it has a link to");
  CLI::Option* const start_up =
      add_text(
          app, "--start-up", "With --topology: start-up time of a message, or block, on a link",
          [&options](const std::string& text) { options.links.start_up = parse_duration(text); })
          ->type_name("TIME");
  CLI::Option* const per_byte =
      add_text(app, "--per-byte", "With --topology: a byte's time on a link, e.g. 10ns",
               [&options](const std::string& text) {
                 options.links.per_byte = {parse_duration(text).value};
               })
          ->type_name("TIME");
  CLI::Option* const block =
      add_text(app, "--block",
               "With --topology: each so many bytes have a start-up time (default: a message has "
               "one)",
               [&options](const std::string& text) { options.links.block = parse_size(text); })
          ->type_name("SIZE");
  CLI::Option* const switching = add_choice(
      app, "--switching", options.links.switching, switchings(),
      "With --topology: all of a message is at a processor before it goes on, or its head goes on "
      "at once (default: store-and-forward)");
  CLI::Option* const contention =
      app.add_flag("--contention", options.links.has_contention,
                   "With --topology: a message keeps each link of its way in turn, and waits where "
                   "another has it");
  topology->needs(start_up)->needs(per_byte);
  for (CLI::Option* const option : {start_up, per_byte, block, switching, contention}) {
    option->needs(topology);
  }
  return topology;
}

simulate::Machine machine_of(const TopologyOptions& options,
                             const simulate::WantedMachine& wanted) {
  const auto generated = simulate::generated(options.name);
  return simulate::build(
      generated ? *generated : simulate::topology_from_text(read_file(options.name), options.name),
      options.links, wanted);
}

std::string to_text(Switching switching) {
  for (const auto& [word, value] : switchings()) {
    if (value == switching) return word;
  }
  return "";
}

std::string to_text(const TopologyOptions& options) {
  const simulate::LinkParameters& links = options.links;
  return options.name + ", " + to_text(links.start_up) + " and " + per_byte_text(links.per_byte) +
         " a link, " + (links.block ? "blocks of " + to_text(*links.block) + ", " : "") +
         to_text(links.switching) + (links.has_contention ? ", with" : ", without") + " contention";
}

}  // namespace commgauge::tools
