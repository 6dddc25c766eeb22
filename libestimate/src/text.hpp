#pragma once

#include <cstdio>
#include <string>

namespace commgauge {

/// Two digits, or all before the point: "3.1", "160".
[[nodiscard]] inline std::string two_digits(double value) {
  constexpr double least_whole = 99.5;
  char text[32];
  const bool is_whole = value >= least_whole || value <= -least_whole;
  std::snprintf(text, sizeof text, is_whole ? "%.0f" : "%.2g", value);
  return text;
}

/// "3.1 %"
[[nodiscard]] inline std::string percent(double fraction) {
  return two_digits(100 * fraction) + " %";
}

}  // namespace commgauge
