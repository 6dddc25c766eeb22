#pragma once

#include <string>

#include "commgauge/replay/run/timeline.hpp"

namespace commgauge::tools {

/// A line for each rank, so many columns of equal time: what it did for most of each. Of many ranks
/// a sample.
[[nodiscard]] std::string timeline_text(const replay::Timeline& timeline, double end);

}  // namespace commgauge::tools
