#pragma once

#include <algorithm>
#include <string_view>

#include "commgauge/thresholds/findings.hpp"

namespace commgauge {

/// The first sweep of that kind; null where there is none.
[[nodiscard]] inline const SweepAnalysis* find_kind(const Thresholds& thresholds,
                                                    std::string_view kind) {
  const auto found = std::ranges::find_if(thresholds.sweeps, [&](const SweepAnalysis& analysis) {
    return analysis.sweep.kind == kind;
  });
  return found == thresholds.sweeps.end() ? nullptr : &*found;
}

}  // namespace commgauge
