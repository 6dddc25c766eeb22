#pragma once

#include <cstddef>
#include <vector>

#include "commgauge/replay/explanation.hpp"
#include "commgauge/replay/longest_paths.hpp"
#include "commgauge/simulate/causes.hpp"
#include "places.hpp"

namespace commgauge::replay {

struct Dominoes {
  std::vector<DominoPath> paths;  ///< of ranks whose path has a wait, shortest run first
  std::size_t cut{};              ///< how many of them end where more might have helped
};

/// The domino path of each rank.
///
/// @param paths, swept  the run's, and its time without each of its critical path
/// @param most_waits  of one path
/// @param most_sweeps  of all: after them paths are cut
[[nodiscard]] Dominoes domino_paths(const simulate::Causes& causes, const Places& places,
                                    const LongestPaths& paths, const std::vector<double>& swept,
                                    std::size_t most_waits, std::size_t most_sweeps);

}  // namespace commgauge::replay
