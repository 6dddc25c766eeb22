#pragma once

#include <cstdint>
#include <vector>

#include "commgauge/judge/freshness.hpp"
#include "commgauge/model/model.hpp"
#include "commgauge/plan/rounds.hpp"

namespace commgauge {

/// Pairs of ranks that tell whether a model holds, in rounds of disjoint pairs. First comes one
/// pair of each class. Then hosts of similar speed stand in a random ring, and each is paired with
/// the one before it and the one behind it. Last come up to four pairs of each host's ranks.
/// O(hosts + classes) pairs; of a model without classes, of up to 128 hosts, O(hosts²) predictions.
/// @param seed  of the ring, and of the ranks
[[nodiscard]] std::vector<std::vector<Pair>> pairs_that_tell(const Model& job, std::uint64_t seed);

/// A size for which no message between these pairs takes longer than `longest`: the largest that
/// the model was fitted for, up to the eager limit, or half of it, a quarter, and so on. At least 1
/// byte.
[[nodiscard]] Bytes size_that_tells(const Model& job, const std::vector<std::vector<Pair>>& rounds,
                                    Seconds longest);

/// Pairs for a second look, in rounds. Each host that deviates, and those of each link that does,
/// are paired with hosts that don't. There are none where nothing deviates.
[[nodiscard]] std::vector<std::vector<Pair>> pairs_that_confirm(const Model& job,
                                                                const Freshness& found);

}  // namespace commgauge
