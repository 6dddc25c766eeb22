#pragma once

#include <vector>

#include "commgauge/base/diagnostic.hpp"
#include "commgauge/replay/paths/longest_paths.hpp"
#include "commgauge/simulate/machine/machine.hpp"
#include "commgauge/simulate/world/causes.hpp"

namespace commgauge::replay {

/// Links between hosts that keep messages of the critical path because of others, most time first;
/// those of less than a thousandth of the run are left out.
[[nodiscard]] std::vector<Diagnostic> waits_at_uplinks(const simulate::Causes& causes,
                                                       const simulate::Machine& machine,
                                                       const LongestPaths& paths);

}  // namespace commgauge::replay
