#pragma once

#include <string>

#include "commgauge/thresholds/thresholds.hpp"

namespace commgauge::tools {

/// Thresholds for people: machine, segments and breaks of every sweep, the thresholds, warnings.
/// `options`: what they were found with.
[[nodiscard]] std::string describe(const Thresholds& thresholds, const ThresholdOptions& options);

/// `scatter`, or `sweep` where a file doesn't say.
[[nodiscard]] std::string name_of(const Sweep& sweep);

}  // namespace commgauge::tools
