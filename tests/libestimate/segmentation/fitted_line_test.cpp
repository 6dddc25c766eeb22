#include "segmentation/fitted_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace commgauge::fitted_line_test {

ObservedSeries series_of(const std::vector<double>& times) {
  std::vector<Bytes> sizes;
  std::vector<Seconds> seconds;
  for (const double time : times) {
    sizes.push_back({1000 + sizes.size()});
    seconds.push_back({time});
  }
  return as_numbers(sizes, seconds, {}, {});
}

/// R: confint(lm(c(1, 3, 4, 6, 6) ~ c(1000, 1001, 1002, 1003, 1004)))
TEST(FittedLine, HasStudentsIntervals) {
  const ObservedSeries series = series_of({1, 3, 4, 6, 6});
  const FittedLine line = fit_line(series, {0, 5});
  EXPECT_NEAR(line.slope, 1.3, 1e-12);
  EXPECT_NEAR(line.at(0), 1.4, 1e-12);
  EXPECT_NEAR(line.rss, 1.1, 1e-12);
  const Segment segment = segment_of(series, {0, 5}, line, 0.95);
  EXPECT_EQ(segment.last, 4U);
  EXPECT_NEAR(segment.intercept.value, 1.4 - 1300, 1e-9) << "at 0, not at the smallest size";
  const double t = 3.182446305284263;  // qt(0.975, 3)
  EXPECT_NEAR(segment.slope.high - 1.3, t * std::sqrt(1.1 / 3 / 10), 1e-9);
  EXPECT_NEAR(segment.intercept.value - segment.intercept.low,
              t * std::sqrt(1.1 / 3 * (1.0 / 5 + 1002.0 * 1002.0 / 10)), 1e-6);
}

TEST(FittedLine, OfTwoObservationsHasNoInterval) {
  const ObservedSeries series = series_of({1, 3, 4});
  const Segment segment = segment_of(series, {1, 3}, fit_line(series, {1, 3}), 0.95);
  EXPECT_EQ(segment.first, 1U);
  EXPECT_NEAR(segment.slope.value, 1, 1e-12);
  EXPECT_TRUE(std::isnan(segment.slope.low) && std::isnan(segment.intercept.high));
}

TEST(MeanSquareStep, IsThatBetweenTheLines) {
  const ObservedSeries series = series_of({1, 1, 1, 4, 4, 4, 5, 6, 7});
  const FittedLine low = fit_line(series, {0, 3});
  const FittedLine high = fit_line(series, {3, 6});
  EXPECT_NEAR(mean_square_step(series, {0, 9}, low, high), 9, 1e-12);
  const FittedLine rising = fit_line(series, {5, 9});  // 4 at 5, one more with each size
  EXPECT_NEAR(mean_square_step(series, {5, 9}, high, rising), (0.0 + 1 + 4 + 9) / 4, 1e-12);
}

}  // namespace commgauge::fitted_line_test
