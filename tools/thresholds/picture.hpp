#pragma once

#include <string>

#include "commgauge/thresholds/thresholds.hpp"

namespace commgauge::tools {

/// Whether commgauge's Python package can draw here.
/// @throws InputError  it can't: why, and what to install.
void check_drawing();

/// Repetitions, medians, fitted lines, breaks and escalations of every sweep, as `python3 -m
/// commgauge plot sweep` draws them.
///
/// @param times   what the thresholds were found in, as a measurement file or a CSV has it.
/// @param format  `svg` or `png`.
/// @return the content of the picture's file.
/// @throws InputError  Python or matplotlib fails: with its own words.
[[nodiscard]] std::string draw(const Thresholds& thresholds, const std::string& times,
                               const std::string& format);

}  // namespace commgauge::tools
