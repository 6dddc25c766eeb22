#pragma once

#include <cstddef>

#include "commgauge/replay/explanation.hpp"
#include "commgauge/replay/longest_paths.hpp"
#include "commgauge/simulate/causes.hpp"
#include "places.hpp"

namespace commgauge::replay {

[[nodiscard]] CriticalPath critical_path_of(const simulate::Causes& causes, const Places& places,
                                            const LongestPaths& paths, std::size_t most_steps);

}  // namespace commgauge::replay
