#pragma once

#include <cstdio>
#include <string>

namespace commgauge {

/// "3.1 %"
[[nodiscard]] inline std::string percent(double fraction) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2g %%", 100 * fraction);
  return text;
}

}  // namespace commgauge
