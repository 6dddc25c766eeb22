#pragma once

#include <cmath>
#include <vector>

#include "commgauge/base/statistics.hpp"

namespace commgauge {

/// Standard deviation of the natural logarithms.
[[nodiscard]] inline double log_deviation(std::vector<double> values) {
  for (double& value : values) value = std::log(value);
  return std::sqrt(variance(values));
}

}  // namespace commgauge
