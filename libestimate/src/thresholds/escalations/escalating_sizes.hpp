#pragma once

#include "commgauge/thresholds/findings.hpp"

namespace commgauge {

/// M1: the largest size below a gather's escalations; or nothing and the reason.
[[nodiscard]] Threshold gather_m1(const SweepAnalysis& analysis);

/// M2: the largest size that escalates; or nothing and the reason.
[[nodiscard]] Threshold gather_m2(const SweepAnalysis& analysis);

}  // namespace commgauge
