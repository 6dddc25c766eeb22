#pragma once

#include <string>

#include "commgauge/threshold.hpp"

namespace commgauge::tools {

/// To the byte where that says more: `64 KiB (65536 B)`
[[nodiscard]] std::string exact(Bytes size);

/// What follows a threshold's size: `, between 4 KiB and 6 KiB`; `, from 4 KiB up, no upper end: `
/// and the reason; `; no interval: ` and the reason.
[[nodiscard]] std::string interval_text(const Threshold& threshold);

/// A headed list: each threshold with its interval, or why there is none.
[[nodiscard]] std::string describe(const MachineThresholds& thresholds);

}  // namespace commgauge::tools
