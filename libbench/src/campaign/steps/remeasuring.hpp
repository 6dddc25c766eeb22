#pragma once

#include <vector>

#include "campaign/harness.hpp"

namespace commgauge::bench {

/// Measures what stands out among its passes again, at most twice, while there is time, and puts it
/// into its place. Collective.
/// @param rows  of all ranks, on rank 0.
/// @return on rank 0, how many rows were measured again.
long measure_again(Harness& harness, std::vector<Observation>& rows);

}  // namespace commgauge::bench
