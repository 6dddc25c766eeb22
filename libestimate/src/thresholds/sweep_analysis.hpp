#pragma once

#include <span>
#include <string>

#include "commgauge/thresholds/findings.hpp"

namespace commgauge {

/// Its kind, or words for a series without one.
[[nodiscard]] std::string name_of(const Sweep& sweep);

/// As analyse(), but what can't be analysed has its reason in place of lines, and its escalations
/// if it has sizes enough for those.
/// @param launch_ends  as of agreement_on_break()
[[nodiscard]] SweepAnalysis analyse_if_possible(const Sweep& sweep, const ThresholdOptions& options,
                                                std::span<const int> launch_ends);

}  // namespace commgauge
