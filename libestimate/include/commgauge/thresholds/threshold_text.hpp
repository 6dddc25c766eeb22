#pragma once

#include <string>

#include "commgauge/thresholds/threshold.hpp"

namespace commgauge {

/// What follows a threshold's size: `, between 4 KiB and 6 KiB`; `, from 4 KiB up, no upper end: `
/// and the reason; `; no interval: ` and the reason.
[[nodiscard]] std::string interval_text(const Threshold& threshold);

/// An eager limit for people: `8255 B`, exact unless launches differ; `none: ` and the reason.
[[nodiscard]] std::string eager_limit_text(const Threshold& limit);

}  // namespace commgauge
