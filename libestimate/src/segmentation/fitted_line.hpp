#pragma once

#include "commgauge/segmentation/segments.hpp"
#include "segmentation/series.hpp"

namespace commgauge {

constexpr double regressors = 2;  ///< of a segment: intercept and slope

/// A weighted least-squares line.
struct FittedLine {
  double weight{};
  double mean_x{};
  double mean_y{};
  double sxx{};
  double slope{};
  double rss{};
  double floor{};  ///< that the sum of squares is never believed to be below
  [[nodiscard]] double at(double x) const { return mean_y + slope * (x - mean_x); }
};

/// In two passes, around the means. @pre two distinct sizes in the range
[[nodiscard]] FittedLine fit_line(const ObservedSeries& series, ObservationRange range);

/// The line with Student intervals of intercept and slope, by its own variance; NaN where two
/// observations leave none.
[[nodiscard]] Segment segment_of(const ObservedSeries& series, ObservationRange range,
                                 const FittedLine& line, double confidence);

/// Mean weighted square of the step between two lines over some observations.
[[nodiscard]] double mean_square_step(const ObservedSeries& series, ObservationRange range,
                                      const FittedLine& a, const FittedLine& b);

}  // namespace commgauge
