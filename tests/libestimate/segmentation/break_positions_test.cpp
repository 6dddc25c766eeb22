#include "segmentation/break_positions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace commgauge::break_positions_test {

/// Points 0, 1, 2, ... of weight 1.
std::vector<SizePoint> points_with(const std::vector<double>& times) {
  std::vector<SizePoint> points;
  for (const double y : times) points.push_back({static_cast<double>(points.size()), y, 1, 0});
  return points;
}

/// Times of 0 up to point `last` and of `jump` beyond, by 1 up and down in turn: the residual sum
/// of squares with the break there is about the number of points.
std::vector<SizePoint> jump_after(std::size_t last, std::size_t count, double jump) {
  std::vector<double> times;
  for (std::size_t i = 0; i < count; ++i) {
    times.push_back((i > last ? jump : 0) + (i % 2 == 0 ? 1 : -1));
  }
  return points_with(times);
}

BreakPositions positions(const std::vector<SizePoint>& points, std::size_t best,
                         double confidence = 0.95) {
  const auto count = static_cast<double>(points.size());
  return break_positions(points, {best, false, false}, 3, {count, 0, count - 4}, confidence);
}

TEST(BreakPositions, OfAClearJumpAreOne) {
  for (const std::size_t last : {2U, 9U, 16U}) {
    const auto [low, high] = positions(jump_after(last, 20, 50), last);
    EXPECT_EQ(low, last);
    EXPECT_EQ(high, last);
  }
}

TEST(BreakPositions, WithoutAJumpAreAll) {
  const auto [low, high] = positions(jump_after(9, 20, 0), 9);
  EXPECT_EQ(low, 0U);
  EXPECT_EQ(high, 19U) << "one line may do";
}

TEST(BreakPositions, AreMoreAtAHigherConfidence) {
  const auto points = jump_after(9, 20, 3);
  std::size_t width = 0;
  for (const double confidence : {0.5, 0.9, 0.99, 0.999}) {
    const auto [low, high] = positions(points, 9, confidence);
    EXPECT_LE(low, 9U);
    EXPECT_GE(high, 9U);
    EXPECT_GE(high - low, width);
    width = high - low;
  }
  EXPECT_GT(width, 2U);
}

/// A floor is noise that the residuals need not show.
TEST(BreakPositions, AFloorMakesThemMore) {
  const auto points = jump_after(9, 20, 50);
  const auto [low, high] = break_positions(points, {9, false, false}, 3, {20, 1e5, 16}, 0.95);
  EXPECT_LT(low, 9U);
  EXPECT_GT(high, 9U);
}

/// 10 points of 0, 10 of 50, 10 of 0; the break behind moves along, and keeps its three points.
TEST(BreakPositions, LeaveRoomForTheNeighbours) {
  auto points = jump_after(9, 30, 50);
  for (std::size_t i = 20; i < 30; ++i) points[i].y -= 50;
  const SeriesNoise noise{30, 0, 24};
  const auto clear = break_positions(points, {9, false, true}, 3, noise, 0.95);
  EXPECT_EQ(clear.low, 9U);
  EXPECT_EQ(clear.high, 9U);
  const SeriesNoise much{30, 1e7, 24};
  const auto unclear = break_positions(points, {9, false, true}, 3, much, 0.95);
  EXPECT_EQ(unclear.low, 0U);
  EXPECT_EQ(unclear.high, 30U - 1 - 6) << "two segments of three points behind it";
  const auto second = break_positions(points, {19, true, false}, 3, much, 0.95);
  EXPECT_EQ(second.low, 2U * 3 - 1) << "two segments of three points before it";
  EXPECT_EQ(second.high, 29U);
}

}  // namespace commgauge::break_positions_test
