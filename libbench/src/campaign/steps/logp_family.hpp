#pragma once

#include <optional>

#include "campaign/harness.hpp"
#include "campaign/sizes/round_trip_sizes.hpp"
#include "commgauge/plan/logp_plan.hpp"

namespace commgauge::bench {

/// Chooses how the LogP family's experiments are measured, by quick ones between ranks 0 and 1.
/// What is chosen is measured afresh in the passes: the choice doesn't bias the fits. Collective.
[[nodiscard]] LogPPlan plan_logp_family(Harness& harness, std::optional<Bytes> eager_limit,
                                        const TimedSizes& round_trips);

}  // namespace commgauge::bench
