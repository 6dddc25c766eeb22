#pragma once

#include <string>

#include "commgauge/thresholds/threshold.hpp"

namespace commgauge {

[[nodiscard]] inline Threshold no_threshold(const std::string& reason) {
  Threshold threshold;
  threshold.reason = reason;
  return threshold;
}

}  // namespace commgauge
