#pragma once

#include <span>

#include "commgauge/base/units.hpp"
#include "commgauge/segmentation/segments.hpp"

namespace commgauge {

/// Segmented regression after Bai and Perron (2003), exact: of all partitions into lines the one
/// with the smallest residual sum of squares, by dynamic programming. O(m·n²) time with O(1) for a
/// segment, O(m·n) memory.
///
/// A segment holds at least `min_segment` distinct sizes, and a break never parts observations of
/// one size: repeated sizes are summed up exactly first.
///
/// The criteria are those of a normal likelihood: n·(ln RSS + 1 − ln n + ln 2π) − Σ ln w
/// + penalty·(k + 1)(m + 1), k = 2. In them RSS is never below Σ w·floor²: noise-free data would
/// breed breaks out of round-off.
///
/// @param sizes    ascending, may repeat.
/// @param times    as many; times[i] belongs to sizes[i]; finite.
/// @param weights  as many, positive, or none: all 1.
/// @param floors   smallest believable standard deviation of each time, as many, or none. A
///                 billionth of the time itself is always taken for round-off.
/// @throws InputError  lengths differ, not ascending, something not finite or not positive, options
///                     out of range. @throws FitError  more breaks than the sizes allow, or fewer
///                     distinct sizes than one segment needs.
/// @note Pure: no MPI.
[[nodiscard]] Segmentation segmented_regression(std::span<const Bytes> sizes,
                                                std::span<const Seconds> times,
                                                const SegmentationOptions& options = {},
                                                std::span<const double> weights = {},
                                                std::span<const Seconds> floors = {});

}  // namespace commgauge
