#pragma once

#include <vector>

#include "commgauge/bench/base/options.hpp"
#include "commgauge/measurements/measurements.hpp"
#include "messages/communicator.hpp"

namespace commgauge::bench {

/// What pairs of a host's ranks take from each other, of each host that has one of `sample`, all
/// hosts at the same time: memory_experiments() of all its ranks, and each of their pairs alone.
/// A sample of few ranks a host couldn't tell. Collective.
/// @param options  the same on every rank; places of each rank, or none
/// @return on rank 0, by the numbers of `all`; elsewhere nothing
/// @throws InputError, FitError  on every rank.
[[nodiscard]] std::vector<Observation> measure_memory(const Communicator& all,
                                                      const std::vector<int>& sample,
                                                      const Options& options);

}  // namespace commgauge::bench
