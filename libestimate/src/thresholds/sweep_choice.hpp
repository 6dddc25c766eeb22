#pragma once

#include <string>
#include <vector>

#include "commgauge/thresholds/findings.hpp"

namespace commgauge {

/// The sweep off which thresholds of that kind are read: the flat algorithm's, or else the
/// library's; of several roots or timings the first. Null where there is none. What it was chosen
/// from is added to the warnings.
/// @param kind  scatter | gather
[[nodiscard]] const SweepAnalysis* choose_sweep(Thresholds& thresholds, const std::string& kind);

/// How the files name a chosen sweep.
[[nodiscard]] SweepSource source_of(const SweepAnalysis& analysis,
                                    const std::vector<Launch>& launches);

}  // namespace commgauge
