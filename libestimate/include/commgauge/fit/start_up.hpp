#pragma once

#include <span>
#include <vector>

#include "commgauge/base/units.hpp"

namespace commgauge {

/// Demaine's network evaluator (1996): T(m) = i + t m.
struct StartUpLine {
  Seconds i;
  SecondsPerByte t;
  std::vector<double> weights;  ///< of each time, 0 to 1: near 0 it counted as an outlier

  [[nodiscard]] Seconds at(Bytes size) const;
};

/// A line that a few times may miss by any factor: Theil and Sen's (1968), the weighted median of
/// the slopes between all pairs, then refined by weighted least squares with Tukey's biweight of
/// the relative residuals (an MM-estimate, Yohai 1987). O(n^2 log n).
///
/// Not GSL's robust regression, which starts from least squares: with relative weights, two times
/// that are ten times too short pull that start away (82 of 190 choices among 20 sizes).
///
/// @param sizes  at least least_start_up_sizes, all distinct.
/// @param times  as many, positive; times[k] belongs to sizes[k].
/// @throws InputError  lengths differ, a size twice, a time not positive and finite.
/// @throws FitError    too few sizes.
/// @note Local and pure: no MPI.
[[nodiscard]] StartUpLine fit_start_up(std::span<const Bytes> sizes,
                                       std::span<const Seconds> times);

/// With fewer, no time can be told from an outlier.
inline constexpr std::size_t least_start_up_sizes = 5;

}  // namespace commgauge
