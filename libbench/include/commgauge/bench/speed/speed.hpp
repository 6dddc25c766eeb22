#pragma once

#include "commgauge/measurements/processor_speed.hpp"

namespace commgauge::bench {

/// Measures the processor on which the calling thread runs, for about three seconds, by three
/// kernels in turn: `integer` (sorting in the first cache, with branches that can't be foretold),
/// `floating-point` (products of small matrices there), `memory` (a walk through arrays larger than
/// the caches). Needs up to 400 MiB. No MPI.
[[nodiscard]] ProcessorSpeed measure_speed();

}  // namespace commgauge::bench
