#pragma once

#include <string>

#include "commgauge/thresholds/threshold.hpp"

namespace commgauge::tools {

/// To the byte where that says more: `64 KiB (65536 B)`
[[nodiscard]] std::string exact(Bytes size);

/// A headed list: each threshold with its interval, or why there is none.
[[nodiscard]] std::string describe(const MachineThresholds& thresholds);

}  // namespace commgauge::tools
