#pragma once

#include <vector>

#include "campaign/harness.hpp"

namespace commgauge::bench {

/// Round trips and overheads between ranks 0 and 1 while connections to ever more ranks open: the
/// first step of a campaign, as afterwards they are open. Fewer ranks than two steps take: nothing.
/// Collective.
/// @return observations of which this rank is the root.
[[nodiscard]] std::vector<Observation> measure_overhead_growth(Harness& harness);

}  // namespace commgauge::bench
