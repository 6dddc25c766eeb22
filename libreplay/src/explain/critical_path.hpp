#pragma once

#include <cstddef>

#include "commgauge/replay/explain/critical_path.hpp"
#include "commgauge/replay/paths/longest_paths.hpp"
#include "commgauge/simulate/world/causes.hpp"
#include "explain/places.hpp"

namespace commgauge::replay {

[[nodiscard]] CriticalPath critical_path_of(const simulate::Causes& causes, const Places& places,
                                            const LongestPaths& paths, const CostDivision& division,
                                            std::size_t most_steps);

}  // namespace commgauge::replay
