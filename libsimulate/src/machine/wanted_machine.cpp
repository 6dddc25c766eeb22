#include "commgauge/simulate/machine/wanted_machine.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "commgauge/base/error.hpp"
#include "commgauge/base/units.hpp"
#include "commgauge/simulate/machine/measured_rules.hpp"
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

/// @pre a seed is wanted
Machine with_wanted_jitter(Machine machine, const WantedJitter& wanted,
                           const std::optional<MessageJitter>& measured) {
  if (wanted.where_known && !machine.requests_queue) return machine;
  if (machine.network.is_shared()) {
    throw InputError(
        "messages are to be late by chance on links that they share (there it isn't known what "
        "that does): leave out --jitter or --contention");
  }
  const auto jitter =
      wanted.mean ? std::optional{MessageJitter{*wanted.mean, wanted.per_byte}} : measured;
  if (!jitter && wanted.where_known) return machine;
  if (!jitter) {
    throw InputError(
        "it isn't known how late messages are by chance (the machine has no `jitter`): give it, "
        "as in --jitter " +
        std::to_string(*wanted.seed) + ":50us, or calibrate again");
  }
  machine.notes.push_back(
      {.kind = "jitter",
       .problem = "each message is late by chance, by " + to_text(*jitter) + " in the mean",
       .reason = "this is one draw, of seed " + std::to_string(*wanted.seed),
       .advice = "take other seeds with --jitter to see what else may come"});
  return with_jitter(std::move(machine), {.mean = jitter->mean,
                                          .per_byte = jitter->per_byte,
                                          .seed = *wanted.seed,
                                          .is_whole = wanted.is_whole});
}

void set_rules(Machine& machine, const WantedMachine& wanted) {
  const bool queues = machine.requests_queue && has_several_hosts(machine);
  machine.requests_queue = wanted.requests_queue.value_or(queues);
  machine.sharing = wanted.sharing.value_or(machine.sharing);
  if (machine.sharing != Sharing::none && machine.network.is_shared()) {
    throw InputError(
        "messages are to share links fairly, and to keep those of a topology in turn (which of "
        "both?): leave out --sharing or --contention");
  }
}

/// What all machines have, wherever their messages' costs come from.
/// @param jitter  that was measured
Machine completed(Machine machine, const WantedMachine& wanted,
                  const std::optional<MessageJitter>& jitter) {
  if (wanted.ignores_growth) machine.has_growth = false;
  set(machine, wanted.time_ratios);
  if (wanted.placement) machine = placed_by(machine, *wanted.placement);
  machine.disturbances = wanted.disturbances;
  for (int rank = 0; rank < machine.ranks; ++rank) {
    (void)Processor(machine.disturbances, rank);  // which refuses
  }
  change_computing(machine, wanted.computing);
  set_rules(machine, wanted);
  return wanted.jitter.seed ? with_wanted_jitter(std::move(machine), wanted.jitter, jitter)
                            : machine;
}

}  // namespace

std::optional<MessageJitter> chance_of(const Model& model, const Machine& machine) {
  const bool decides = machine.requests_queue && has_several_hosts(machine);
  return decides ? measured_jitter(model) : std::nullopt;
}

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
  return completed(machine_of(model, wanted.kind), wanted, measured_jitter(model));
}

Machine build(const Topology& topology, const LinkParameters& links, const WantedMachine& wanted) {
  return completed(machine_of(topology, links), wanted, {});
}

}  // namespace commgauge::simulate
