#pragma once

#include <span>
#include <string>
#include <vector>

#include "commgauge/measurements/experiment.hpp"

namespace commgauge {

/// Whether two messages of a pair that are under way together share its link or take it in turn: in
/// turn the first takes as long as alone. Of up to three pairs of ranks, which are on different
/// hosts where there are several, each a group; of each size until the first message is there, and
/// until both are.
/// @param sizes  each is a round trip's as well. @param hosts  of each rank, or none
[[nodiscard]] std::vector<std::vector<Experiment>> sharing_experiments(
    int ranks, std::span<const std::string> hosts, std::span<const Bytes> sizes);

}  // namespace commgauge
