#pragma once

#include "commgauge/base/statistics.hpp"
#include "commgauge/segmentation/segmentation.hpp"

namespace commgauge {

/// By how much the line after a break is above the one before at `size` [s], with the joint
/// uncertainty of the two.
[[nodiscard]] Estimate step_at(Bytes size, const Segment& before, const Segment& after);

/// Whether the lines on both sides of a break can't be one at `size`: they differ by more than
/// three times their joint uncertainty.
[[nodiscard]] bool differ_at(Bytes size, const Segment& before, const Segment& after);

}  // namespace commgauge
