#include "segmentation/bai_interval.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

namespace commgauge::bai_interval_test {

TEST(BaiInterval, TellsOnWhichSideTheEstimateLies) {
  EXPECT_EQ(probability_at_or_before({1, 1}, {1, 1}), 0.5);
  EXPECT_EQ(probability_at_or_before({3, 1}, {1, 1}), 0.75);
}

/// 7.7 and 11.0: the 95 % and 97.5 % quantiles of the two-sided Brownian motion's maximum, as
/// tabulated (Bai 1997, table in section 4).
TEST(BaiInterval, HasTheTabulatedQuantiles) {
  EXPECT_NEAR(break_reach({1, 1}, {1, 1}, 0.90)->below, 7.7, 0.05);
  EXPECT_NEAR(break_reach({1, 1}, {1, 1}, 0.95)->below, 11.0, 0.05);
}

TEST(BaiInterval, ScalesWithVarianceOverChange) {
  const auto unit = break_reach({1, 1}, {1, 1}, 0.95);
  const auto scaled = break_reach({6, 2}, {6, 4}, 0.95);
  ASSERT_TRUE(unit && scaled);
  EXPECT_NEAR(unit->below, unit->above, 1e-9);
  EXPECT_NEAR(scaled->above, 3 * unit->above, 1e-9) << "6 / 2, of the left side";
  EXPECT_NEAR(scaled->below, 1.5 * unit->below, 1e-9) << "6 / 4, of the right side";
}

TEST(BaiInterval, IsNoneWhereOneSideScattersSoMuchMore) {
  EXPECT_FALSE(break_reach({100, 1}, {1, 1}, 0.95));
  EXPECT_FALSE(break_reach({1, 1}, {100, 1}, 0.95));
  EXPECT_TRUE(break_reach({18, 1}, {1, 1}, 0.9)) << "18 of 19 is less than 95 %";
}

}  // namespace commgauge::bai_interval_test
