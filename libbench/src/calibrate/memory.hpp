#pragma once

#include <vector>

#include "commgauge/bench/base/options.hpp"
#include "commgauge/measurements/measurements.hpp"
#include "messages/communicator.hpp"

namespace commgauge::bench {

/// Measuring memory ends after so long: a part of the time budget, or a minute.
[[nodiscard]] Seconds most_time_for_memory(const Options& options);

/// Whether one of the hosts of these ranks has ranks and cores for two pairs at once.
[[nodiscard]] bool has_memory_to_measure(const Communicator& all, const std::vector<int>& sample,
                                         const Options& options);

/// What pairs of a host's ranks take from each other, of each host that has one of `sample`:
/// memory_experiments() of all its ranks, and each of their pairs alone. A sample of few ranks a
/// host couldn't tell. Hosts do it at the same time, unless experiments are to be made one after
/// the other, or hosts that a file names are on one machine. Collective.
/// @param options  the same on every rank; places of each rank, or none
/// @return on rank 0, by the numbers of `all`, the passes that are complete; elsewhere nothing
/// @throws InputError, FitError  on every rank.
[[nodiscard]] MemoryRun measure_memory(const Communicator& all, const std::vector<int>& sample,
                                       const Options& options);

}  // namespace commgauge::bench
