#pragma once

#include <cstdint>
#include <vector>

#include "commgauge/judge/freshness.hpp"
#include "commgauge/model/model.hpp"
#include "commgauge/plan/rounds.hpp"

namespace commgauge {

/// Which pairs of ranks tell whether a model holds, in rounds of disjoint pairs: first one pair of
/// each class, then each host with the one before it and the one behind it in a random ring of
/// hosts of similar speed, and up to four pairs of each host's ranks. O(hosts + classes) pairs; of
/// a model without classes, of up to 128 hosts, O(hosts²) predictions.
/// @param seed  of the ring, and of the ranks
[[nodiscard]] std::vector<std::vector<Pair>> pairs_that_tell(const Model& job, std::uint64_t seed);

/// The largest size that the model was fitted for, up to the eager limit, of which no message
/// between these pairs takes longer than `longest`; half of it, a quarter, and so on, at least 1
/// byte.
[[nodiscard]] Bytes size_that_tells(const Model& job, Seconds longest);

/// Pairs for a second look, in rounds: each host and link that deviates with hosts that don't.
/// Nothing: all are alike.
[[nodiscard]] std::vector<std::vector<Pair>> pairs_that_confirm(const Model& job,
                                                                const Freshness& found);

}  // namespace commgauge
