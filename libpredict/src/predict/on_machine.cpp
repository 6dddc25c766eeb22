#include "predict/on_machine.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "commgauge/base/diagnostic.hpp"
#include "commgauge/base/error.hpp"
#include "commgauge/base/unknown_value.hpp"
#include "commgauge/model/model_list.hpp"
#include "commgauge/predict/by_replicates.hpp"
#include "commgauge/simulate/machine/machine.hpp"

namespace commgauge::on_machine {

namespace {

using simulate::Machine;
using simulate::ScheduledCollective;

/// As a job of so many processes has it, where that is asked for.
/// @throws InputError  that can't be emulated
Machine grown(const Machine& machine, std::optional<int> processes) {
  return processes ? simulate::with_processes(machine, *processes) : machine;
}

/// @return NaN of collectives that `is_asked` is false of
std::vector<double> times_on(const Machine& machine, std::span<const ScheduledCollective> all,
                             const std::function<bool(std::size_t)>& is_asked) {
  std::vector<double> times;
  for (std::size_t k = 0; k < all.size(); ++k) {
    times.push_back(is_asked(k) ? time_of(machine, all[k].what, all[k].algorithm).value
                                : unknown_value);
  }
  return times;
}

/// One machine for each replicate, where messages meet as on the central one; NaN of those that are
/// no machine's.
/// @throws InputError  the central machine can't have so many processes
std::vector<ByReplicates> times_by_replicates(const Model& model, const Machine& central,
                                              std::optional<int> processes,
                                              std::span<const ScheduledCollective> all,
                                              const Replicates& replicated) {
  bool is_central = true;
  return by_replicates(model, central.kind, [&](const Model& one) {
    const auto is_asked = [&](std::size_t k) {
      return !replicated.is_measured || replicated.is_measured(one, k);
    };
    if (std::exchange(is_central, false)) {
      return times_on(grown(central, processes), all, is_asked);
    }
    auto machine = replicated.may_be_moved ? machine_if_possible(one, central.kind)
                                           : own_machine(one, central.kind);
    if (!machine) return std::vector(all.size(), unknown_value);
    machine->requests_queue = central.requests_queue;
    try {
      return times_on(grown(*machine, processes), all, is_asked);
    } catch (const InputError&) {
      return std::vector(all.size(), unknown_value);
    }
  });
}

}  // namespace

std::optional<Machine> machine_if_possible(const Model& model, const std::string& name) {
  if (!facts_of(name).is_machine()) return std::nullopt;
  try {
    return simulate::machine_of(model, name);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

std::optional<Machine> own_machine(const Model& model, const std::string& name) {
  auto machine = machine_if_possible(model, name);
  if (!machine) return std::nullopt;
  const bool is_moved =
      std::ranges::find(machine->notes, "moved_costs", &Diagnostic::kind) != machine->notes.end();
  return is_moved ? std::nullopt : std::move(machine);
}

Seconds time(const Machine& machine, std::optional<int> processes, const ScheduledCollective& one) {
  if (!processes) return time_of(machine, one.what, one.algorithm);
  return time_of(grown(machine, processes), one.what, one.algorithm);
}

std::vector<PredictedByReplicates> predict(const Model& model, const Machine& machine,
                                           std::optional<int> processes,
                                           std::span<const ScheduledCollective> all,
                                           const Replicates& replicated) {
  const std::vector<ByReplicates> times =
      times_by_replicates(model, machine, processes, all, replicated);
  std::vector<PredictedByReplicates> told;
  for (std::size_t k = 0; k < all.size(); ++k) {
    told.push_back({time_by_replicates(model, machine.kind, times[k]),
                    replicate_times_of(model, machine.kind, times[k])});
    told.back().prediction.on_machine = true;
  }
  return told;
}

}  // namespace commgauge::on_machine
