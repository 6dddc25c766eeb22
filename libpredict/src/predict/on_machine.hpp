#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "commgauge/predict/query.hpp"
#include "commgauge/simulate/machine/machine.hpp"
#include "commgauge/simulate/run/collective_time.hpp"

/// What the virtual machine says of collective operations.
namespace commgauge::on_machine {

/// The machine of the model's central parameters. Nothing: they aren't a machine's as they are, and
/// costs that have to be moved until they can be one's (where they fall with the size) may be far
/// from the parameters.
[[nodiscard]] std::optional<simulate::Machine> own_machine(const Model& model,
                                                           const std::string& name);

/// That, or costs that were moved; nothing: there is no such machine.
[[nodiscard]] std::optional<simulate::Machine> machine_if_possible(const Model& model,
                                                                   const std::string& name);

/// What one takes there, or in a job of so many processes. @throws InputError  as predict()
[[nodiscard]] Seconds time(const simulate::Machine& machine, std::optional<int> processes,
                           const simulate::ScheduledCollective& one);

/// Which replicates count.
struct Replicates {
  /// Whether one has what the k-th collective needs. Empty: all have.
  std::function<bool(const Model& replicate, std::size_t k)> is_measured{};
  /// One that is no machine's as it is stands for the nearest that is; else it is left out.
  bool may_be_moved{};
};

/// Of each, in their order, with the interval that the model's replicates tell: those that have no
/// machine, or lack a pair, are left out. `extrapolated` is left false. O(replicates)
/// machines, however many collectives there are.
/// @param machine  of the central parameters
/// @param processes  of the job, whose number overheads grow with; nothing: as the model has them
/// @throws InputError  an overhead is not above zero in a job of so many processes
/// @pre simulate::time_of()'s, of each
[[nodiscard]] std::vector<PredictedByReplicates> predict(
    const Model& model, const simulate::Machine& machine, std::optional<int> processes,
    std::span<const simulate::ScheduledCollective> all, const Replicates& replicated = {});

}  // namespace commgauge::on_machine
