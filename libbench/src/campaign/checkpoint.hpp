#pragma once

#include <vector>

#include "commgauge/bench/base/options.hpp"
#include "commgauge/measurements/measurements.hpp"
#include "commgauge/plan/rounds.hpp"
#include "messages/communicator.hpp"

namespace commgauge::bench {

/// What rank 0 needs to resume these rounds later.
[[nodiscard]] LaunchPlan plan_of(const std::vector<Round>& rounds, const Options& options);
/// The reverse.
[[nodiscard]] std::vector<Round> rounds_of(const LaunchPlan& plan);

/// That its first pass goes by models: PassPlan::is_thin.
void mark_thin(LaunchPlan& plan);
[[nodiscard]] bool is_thin(const LaunchPlan& plan);

/// On rank 0 the checkpoint as it is, elsewhere its launch and its request. Collective.
/// @param checkpoint  rank 0's counts.
/// @throws InputError  on every rank: it can't be resumed, or not on this machine.
[[nodiscard]] Measurements share_checkpoint(const Communicator& comm, Measurements checkpoint);

/// Those of the checkpoint, and of `own` what may differ.
/// @param checkpoint  as share_checkpoint() returns it.
[[nodiscard]] Options options_to_resume(const Measurements& checkpoint, const Options& own);

/// Blocks of the sweeps, which are in the launch's sum only.
[[nodiscard]] Disturbance without_rows(const Measurements& checkpoint);

/// The checkpoint's launch as it is now. @param now  of this run alone, but for rows, passes and
/// rounds.
[[nodiscard]] Launch gone_on(Launch launch, const Launch& now);

}  // namespace commgauge::bench
