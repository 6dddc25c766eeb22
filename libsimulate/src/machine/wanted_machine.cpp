#include "commgauge/simulate/machine/wanted_machine.hpp"

#include <algorithm>
#include <cstddef>

#include "commgauge/base/error.hpp"
#include "commgauge/simulate/machine/time_ratio.hpp"

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

Machine placed_by(const Machine& machine, const Placement& placement) {
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
  if (wanted.placement) machine = placed_by(machine, *wanted.placement);
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

LargerModel model_for(const Model& model, const WantedMachine& wanted) {
  if (wanted.hosts && !wanted.job.empty()) {
    throw InputError("both a number of hosts and a job's hosts (which of them?): give one");
  }
  if (!wanted.job.empty()) return model_of_job(model, wanted.job);
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
