#pragma once

#include <limits>
#include <string>
#include <vector>

namespace commgauge {

/// One rank's place.
struct RankPlace {
  std::string host;
  std::vector<int> cores;  ///< of its affinity mask
  /// What a fixed computation takes there: its processor's slowness. NaN: not measured.
  double kernel_s{std::numeric_limits<double>::quiet_NaN()};
};

}  // namespace commgauge
