#include "segmentation/fitted_line.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace commgauge {

FittedLine fit_line(const ObservedSeries& series, ObservationRange range) {
  FittedLine line;
  line.mean_x = weighted_mean(series.x, series.weight, range);
  line.mean_y = weighted_mean(series.y, series.weight, range);
  double sxy = 0;
  for (std::size_t i = range.first; i < range.end; ++i) {
    const double dx = series.x[i] - line.mean_x;
    line.weight += series.weight[i];
    line.sxx += series.weight[i] * dx * dx;
    sxy += series.weight[i] * dx * (series.y[i] - line.mean_y);
  }
  line.slope = sxy / line.sxx;
  for (std::size_t i = range.first; i < range.end; ++i) {
    const double residual = (series.y[i] - line.mean_y) - line.slope * (series.x[i] - line.mean_x);
    line.rss += series.weight[i] * residual * residual;
    line.floor += series.floor[i];
  }
  return line;
}

Segment segment_of(const ObservedSeries& series, ObservationRange range, const FittedLine& line,
                   double confidence) {
  const double at_zero = -series.origin - line.mean_x;
  const double intercept = line.mean_y + line.slope * at_zero;
  const double dof = static_cast<double>(range.count()) - regressors;
  double of_intercept = std::numeric_limits<double>::quiet_NaN();
  double of_slope = of_intercept;
  if (dof > 0) {
    const double variance = std::max(line.rss, line.floor) / dof;
    const double t = student_quantile(confidence, dof);
    of_slope = t * std::sqrt(variance / line.sxx);
    of_intercept = t * std::sqrt(variance * (1 / line.weight + at_zero / line.sxx * at_zero));
  }
  return {range.first,
          range.end - 1,
          {intercept, intercept - of_intercept, intercept + of_intercept},
          {line.slope, line.slope - of_slope, line.slope + of_slope},
          line.rss};
}

double mean_square_step(const ObservedSeries& series, ObservationRange range, const FittedLine& a,
                        const FittedLine& b) {
  double sum = 0;
  for (std::size_t i = range.first; i < range.end; ++i) {
    const double step = a.at(series.x[i]) - b.at(series.x[i]);
    sum += series.weight[i] * step * step;
  }
  return sum / static_cast<double>(range.count());
}

}  // namespace commgauge
