#pragma once

#include <string>

#include "commgauge/thresholds/thresholds.hpp"

namespace commgauge::tools {

/// A script for gnuplot that draws every sweep in a panel of its own, as SVG on standard output:
/// repetitions, medians, fitted lines, breaks and escalations. Log-log; readable without colours.
[[nodiscard]] std::string plot_script(const Thresholds& thresholds);

}  // namespace commgauge::tools
