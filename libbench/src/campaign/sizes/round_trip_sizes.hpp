#pragma once

#include <optional>
#include <vector>

#include "campaign/harness.hpp"
#include "commgauge/plan/campaign_plan.hpp"

namespace commgauge::bench {

/// @return on rank 0, in the order of the experiments, which are between ranks 0 and 1. Collective.
[[nodiscard]] std::vector<Seconds> time_quickly(Harness& harness,
                                                const std::vector<Experiment>& experiments);

struct TimedSizes {
  std::vector<Bytes> sizes;    ///< ascending, above 0
  std::vector<Seconds> times;  ///< round trips; on rank 0 only
};

/// The sizes that are given, or as many that a line between neighbours tells the round trips of
/// the others, by quick ones between ranks 0 and 1. What is chosen is measured afresh in the
/// passes: the choice doesn't bias the fits. Collective.
[[nodiscard]] TimedSizes choose_round_trips(Harness& harness, std::optional<Bytes> eager_limit,
                                            const CampaignSizes& sizes);

}  // namespace commgauge::bench
