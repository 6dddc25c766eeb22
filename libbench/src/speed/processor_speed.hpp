#pragma once

#include "commgauge/base/units.hpp"
#include "messages/communicator.hpp"
#include "ranks/provenance.hpp"

namespace commgauge::bench {

/// Median time of a fixed computation on this rank's core, about a millisecond: products of small
/// matrices that stay in the first cache. Nothing but its proportion to other ranks' has a meaning.
/// @return NaN where the clock sees no time pass, as in a simulation that doesn't time
/// computations.
[[nodiscard]] Seconds time_kernel();

/// Sets every rank's kernel_s. Ranks that share cores compute one after the other on each host,
/// while the others there sleep. Collective.
void measure_processor_speeds(const Communicator& comm, Places& places);

}  // namespace commgauge::bench
