#pragma once

#include "commgauge/thresholds/findings.hpp"

namespace commgauge {

constexpr const char* one_line_explains_all = "one line explains all sizes";

/// S: the largest break of a scatter's sweep, which is the one whose removal adds most to the
/// residual sum of squares; or nothing and the reason.
[[nodiscard]] Threshold scatter_break(const SweepAnalysis& analysis, double confidence);

}  // namespace commgauge
