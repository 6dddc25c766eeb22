#pragma once

#include <span>

#include "commgauge/measurements/sweep.hpp"
#include "commgauge/plan/campaign_plan.hpp"
#include "messages/communicator.hpp"

namespace commgauge::bench {

/// What a calibration's sweeps say about the sizes of its experiments. Collective.
/// @param sweeps  rank 0's count.
/// @param one_to_two  M, as chosen without advice.
[[nodiscard]] SizeAdvice advise_sizes(const Communicator& comm, std::span<const Sweep> sweeps,
                                      Bytes one_to_two, double confidence);

}  // namespace commgauge::bench
