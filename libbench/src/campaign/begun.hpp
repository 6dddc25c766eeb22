#pragma once

#include <vector>

#include "commgauge/bench/options.hpp"
#include "commgauge/measurements/measurements.hpp"
#include "commgauge/plan/rounds.hpp"
#include "communicator.hpp"

namespace commgauge::bench {

/// What rank 0 needs to go on with these rounds later on.
[[nodiscard]] LaunchPlan plan_of(const std::vector<Round>& rounds, const Options& options);
/// The reverse.
[[nodiscard]] std::vector<Round> rounds_of(const LaunchPlan& plan);

/// That its first pass goes by models: PassPlan::is_thin.
void mark_thin(LaunchPlan& plan);
[[nodiscard]] bool is_thin(const LaunchPlan& plan);

/// What was begun: on rank 0 as it is, elsewhere its launch and its request. Collective.
/// @param begun  rank 0's counts.
/// @throws InputError  on every rank: it can't be gone on with, or not on this machine.
[[nodiscard]] Measurements share_begun(const Communicator& comm, Measurements begun);

/// Those of what was begun, and of `own` what may differ.
/// @param begun  as share_begun() returns it.
[[nodiscard]] Options options_to_resume(const Measurements& begun, const Options& own);

/// Blocks of the sweeps, which are in the launch's sum only.
[[nodiscard]] Disturbance without_rows(const Measurements& begun);

/// The launch as it is now. @param now  of this run alone, but for rows, passes and rounds.
[[nodiscard]] Launch gone_on(Launch begun, const Launch& now);

}  // namespace commgauge::bench
