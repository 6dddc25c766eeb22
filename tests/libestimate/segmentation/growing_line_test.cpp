#include "segmentation/growing_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace commgauge::growing_line_test {

/// Points 0, 1, 2, ... of weight 1.
std::vector<SizePoint> points_with(const std::vector<double>& times) {
  std::vector<SizePoint> points;
  for (const double y : times) points.push_back({static_cast<double>(points.size()), y, 1, 0});
  return points;
}

/// Of 1, 3, 4, 6, 6 at 0 ... 4: 1.4 + 1.3 x, residual sum of squares 1.1.
TEST(GrowingLine, IsTheLeastSquaresLine) {
  GrowingLine line;
  for (const SizePoint& point : points_with({1, 3, 4, 6, 6})) line.add(point);
  EXPECT_NEAR(line.line().slope(), 1.3, 1e-12);
  EXPECT_NEAR(line.line().at(0), 1.4, 1e-12);
  EXPECT_NEAR(line.rss(), 1.1, 1e-12);
  EXPECT_NEAR(line.line().sxx, 10, 1e-12);
}

TEST(GrowingLine, GrowsByBlocksToTheSame) {
  const auto points = points_with({1, 3, 4, 6, 6});
  GrowingLine left;
  GrowingLine right;
  for (std::size_t i = 0; i < 5; ++i) (i < 2 ? left : right).add(points[i]);
  left.add(right.line());
  EXPECT_NEAR(left.line().slope(), 1.3, 1e-12);
  EXPECT_NEAR(left.line().at(0), 1.4, 1e-12);
  EXPECT_NEAR(left.rss(), 1.1, 1e-12);
}

/// Twice the weight is the same point twice; what is within a point is part of the sum.
TEST(GrowingLine, CountsWeightsAndWhatIsWithin) {
  GrowingLine twice;
  GrowingLine heavy;
  for (const SizePoint& point : points_with({1, 3, 4, 6, 6})) {
    twice.add(point);
    twice.add(point);
    heavy.add(SizePoint{point.x, point.y, 2, 0.5});
  }
  EXPECT_NEAR(heavy.rss(), twice.rss() + 5 * 0.5, 1e-12);
  EXPECT_NEAR(heavy.line().slope(), twice.line().slope(), 1e-12);
}

}  // namespace commgauge::growing_line_test
