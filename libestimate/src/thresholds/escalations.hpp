#pragma once

#include <vector>

#include "commgauge/thresholds/thresholds.hpp"

namespace commgauge {

/// For every point the time above which a repetition is an escalation [s].
[[nodiscard]] std::vector<double> escalation_limits(const Sweep& sweep, const Escalations& found);

}  // namespace commgauge
