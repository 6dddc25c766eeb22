#pragma once

#include "campaign/harness.hpp"

namespace commgauge::bench {

/// Opens the connections between all ranks, with messages of the smallest and the largest size.
/// Collective.
void warm_up(Harness& harness);

}  // namespace commgauge::bench
