#pragma once

#include <vector>

#include "commgauge/replay/paths/longest_paths.hpp"
#include "commgauge/replay/run/result.hpp"

namespace commgauge::replay {

/// Result::marks of a run with other delays: when each of its calls and regions would begin or end
/// [s]. What was computed by then stays as it was. One walk, O(causes + marks).
///
/// @pre the result has its marks, and the paths are of its Options::causes.
[[nodiscard]] std::vector<std::vector<Mark>> walked_marks(const Result& result,
                                                          const LongestPaths& paths,
                                                          const LongestPaths::Delay& delay);

}  // namespace commgauge::replay
