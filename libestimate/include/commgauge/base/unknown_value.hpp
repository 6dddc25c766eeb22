#pragma once

#include <limits>

namespace commgauge {

/// What stands for a number that nobody measured and nothing tells: not a number.
inline constexpr double unknown_value = std::numeric_limits<double>::quiet_NaN();

}  // namespace commgauge
