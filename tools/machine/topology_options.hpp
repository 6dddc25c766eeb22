#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "commgauge/simulate/machine/topology.hpp"
#include "commgauge/simulate/machine/wanted_machine.hpp"

namespace commgauge::tools {

/// A topology and its links, as the command line says it.
struct TopologyOptions {
  std::string name;  ///< of a generator, with its sizes, or of a file; empty: none is asked for
  simulate::LinkParameters links;
};

/// --topology, --start-up, --per-byte, --block, --switching, --contention. @return the first
CLI::Option* add_topology_options(CLI::App& app, TopologyOptions& options);

/// @throws InputError
[[nodiscard]] simulate::Machine machine_of(const TopologyOptions& options,
                                           const simulate::WantedMachine& wanted);

/// For people: `ring:4, 50.0 us and 10.0 ns/B a link, store-and-forward, without contention`.
[[nodiscard]] std::string to_text(const TopologyOptions& options);
[[nodiscard]] std::string to_text(simulate::Switching switching);

}  // namespace commgauge::tools
