#pragma once

#include <span>
#include <string>
#include <vector>

#include "commgauge/measurements/experiment.hpp"

namespace commgauge {

/// Whether two messages that are under way together share what they pass or take it in turn: in
/// turn the first takes as long as alone. They are of a pair, of two senders to one receiver, or of
/// one sender to two. Of up to three pairs and three times three ranks, which are on different
/// hosts where there are several, each a group; of each size until the first message is there, and
/// until both are.
/// @param sizes  each is a round trip's as well. @param hosts  of each rank, or none
[[nodiscard]] std::vector<std::vector<Experiment>> sharing_experiments(
    int ranks, std::span<const std::string> hosts, std::span<const Bytes> sizes);

}  // namespace commgauge
