#include "commgauge/simulate/wanted_machine.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "commgauge/base/error.hpp"
#include "commgauge/costs/pair_costs.hpp"
#include "commgauge/simulate/time_ratio.hpp"
#include "lawful_costs.hpp"

namespace commgauge::simulate {

namespace {

void set(Machine& machine, const std::vector<Estimate>& ratios) {
  if (static_cast<int>(ratios.size()) != machine.ranks) {
    throw InputError("time_ratio has " + std::to_string(ratios.size()) + " numbers, the machine " +
                     std::to_string(machine.ranks) +
                     " ranks (every rank of it has a processor): give one for each");
  }
  machine.time_ratios = ratios;
}

void set(Machine& machine, const TimeRatios& ratios) {
  if (const auto* const text = std::get_if<std::string>(&ratios)) set_time_ratios(machine, *text);
  if (const auto* const each = std::get_if<std::vector<Estimate>>(&ratios)) set(machine, *each);
}

Machine placed_by(Machine machine, const Placement& placement) {
  if (placement.places.empty()) return machine;
  try {
    return placed(machine, placement.places);
  } catch (const InputError& error) {
    throw InputError(placement.name + ": " + error.what());
  }
}

/// What all machines have, wherever their messages' costs come from.
Machine completed(Machine machine, const WantedMachine& wanted) {
  if (wanted.ignores_growth) machine.has_growth = false;
  set(machine, wanted.time_ratios);
  machine = placed_by(std::move(machine), wanted.placement);
  machine.disturbances = wanted.disturbances;
  for (int rank = 0; rank < machine.ranks; ++rank) {
    (void)Processor(machine.disturbances, rank);  // which refuses
  }
  change_computing(machine, wanted.computing);
  return machine;
}

}  // namespace

void change_computing(Machine& machine, const ChangedComputing& change) {
  for (std::size_t rank = 0; rank < machine.time_ratios.size(); ++rank) {
    const bool is_meant =
        change.ranks.empty() ||
        std::ranges::find(change.ranks, static_cast<int>(rank)) != change.ranks.end();
    if (!is_meant) continue;
    Estimate& ratio = machine.time_ratios[rank];
    for (double* const one : {&ratio.value, &ratio.low, &ratio.high}) *one *= change.factor;
  }
}

Machine with_processes(Machine machine, int processes) {
  machine.pairs.change([&](PairCosts& costs) { grow(costs, machine.growth, processes); });
  for (const PairTable::Alike& alike : machine.pairs.all_alike()) {
    const std::string flaw = flaw_of(machine.pair(alike.from, alike.to));
    if (flaw.empty()) continue;
    throw InputError("model " + machine.kind + " can't be emulated with " +
                     std::to_string(processes) + " processes (" + flaw + " from rank " +
                     std::to_string(alike.from) + " to " + std::to_string(alike.to) +
                     "): ask for fewer");
  }
  return machine;
}

LargerModel model_for(const Model& model, const WantedMachine& wanted) {
  if (!wanted.hosts) return {model, {}};
  return larger_model(model, wanted.hosts->hosts, wanted.hosts->ranks_per_host);
}

Machine build(const Model& model, const WantedMachine& wanted) {
  return completed(machine_of(model, wanted.kind), wanted);
}

Machine build(const Topology& topology, const LinkParameters& links, const WantedMachine& wanted) {
  return completed(machine_of(topology, links), wanted);
}

}  // namespace commgauge::simulate
