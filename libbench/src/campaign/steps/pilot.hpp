#pragma once

#include "campaign/harness.hpp"
#include "commgauge/plan/campaign_plan.hpp"

namespace commgauge::bench {

struct PilotRun {
  Pilot pilot;  ///< the same on every rank
  Seconds took;
};

/// Quick round trips of all ordered pairs, by which the passes are planned. Collective.
/// @param serial  one pair at a time.
[[nodiscard]] PilotRun run_pilot(Harness& harness, const CampaignSizes& sizes, bool serial);

/// Of all ordered pairs, quickly [s]. Collective; the same on every rank.
/// @param serial  one pair at a time.
[[nodiscard]] Matrix time_round_trips(Harness& harness, Bytes size, bool serial);

/// What a pass would take, if its experiments took as long as the pilot's, with more blocks each.
/// @param experiments  of the pass.
[[nodiscard]] Seconds guess_pass_time(Seconds pilot_took, int ranks, long experiments,
                                      int min_reps);

}  // namespace commgauge::bench
