#pragma once

#include <cstddef>
#include <set>
#include <vector>

#include "commgauge/replay/explain/domino_path.hpp"
#include "commgauge/replay/paths/longest_paths.hpp"
#include "commgauge/simulate/world/causes.hpp"
#include "explain/places.hpp"
#include "paths/waits.hpp"

namespace commgauge::replay {

struct Dominoes {
  std::vector<DominoPath> paths;  ///< of ranks whose path has a wait, shortest run first
  std::size_t cut{};              ///< how many of them end where more might have helped
};

/// What is gone without a domino path's waits.
[[nodiscard]] std::set<Awaited> waits_of(const DominoPath& domino);

/// The domino path of each rank. A message that a rank waits for more than once takes a walk to
/// judge, unless it can't be the best.
///
/// @param paths, swept  the run's, and its time without each of its critical path
/// @param most_waits  of one path
/// @param most_sweeps  and walks, of all: after them paths are cut
[[nodiscard]] Dominoes domino_paths(const simulate::Causes& causes, const Places& places,
                                    const LongestPaths& paths, const std::vector<double>& swept,
                                    std::size_t most_waits, std::size_t most_sweeps);

}  // namespace commgauge::replay
