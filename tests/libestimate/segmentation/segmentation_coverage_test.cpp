// Whether the intervals of breaks hold them as often as they promise.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "break_series.hpp"

namespace commgauge::segmentation_coverage_test {

using testing::BreakCase;
using testing::BreakSeries;
using testing::Change;
using testing::count_covered;
using testing::Counted;
using testing::Grid;

constexpr std::array jumps{0.5, 1.0, 2.0, 3.0, 5.0, 10.0};
constexpr std::array kinks{1.0, 3.0, 10.0, 30.0, 100.0};

/// As few as come about once in 20 000 times with this probability of each.
double least(int count, double probability) {
  return count * probability - 3.9 * std::sqrt(count * probability * (1 - probability));
}

void expect_covered(const BreakCase& one, int series) {
  const Counted found = count_covered(one, series);
  EXPECT_GE(found.covered, least(found.breaks, 0.95)) << one.name() << ": of " << found.breaks;
}

/// Grid, change, weighted
class Coverage : public ::testing::TestWithParam<std::tuple<Grid, Change, bool>> {
 protected:
  static void expect_all_covered(std::size_t sizes, std::size_t breaks, int series) {
    const auto [grid, change, weighted] = GetParam();
    for (const double strength : change == Change::jump
                                     ? std::vector<double>(jumps.begin(), jumps.end())
                                     : std::vector<double>(kinks.begin(), kinks.end()))
      expect_covered({grid, sizes, breaks, change, strength, weighted}, series);
  }
};

TEST_P(Coverage, OfOneBreakIn20Sizes) { expect_all_covered(20, 1, 100); }
TEST_P(Coverage, OfOneBreakIn60Sizes) { expect_all_covered(60, 1, 30); }
TEST_P(Coverage, OfTwoBreaksIn20Sizes) { expect_all_covered(20, 2, 40); }

TEST_P(Coverage, OfTwoBreaksIn60Sizes) {
  const auto [grid, change, weighted] = GetParam();
  for (const double strength : {3.0, 10.0})
    expect_covered({grid, 60, 2, change, strength, weighted}, 15);
}

TEST_P(Coverage, OfOneBreakIn200Sizes) {
  const auto [grid, change, weighted] = GetParam();
  for (const double strength : {2.0, 10.0})
    expect_covered({grid, 200, 1, change, strength, weighted}, 20);
}

INSTANTIATE_TEST_SUITE_P(
    Breaks, Coverage,
    ::testing::Combine(::testing::Values(Grid::uniform, Grid::geometric, Grid::refined),
                       ::testing::Values(Change::jump, Change::kink), ::testing::Bool()),
    [](const auto& one) {
      return std::string(std::array{"Uniform", "Geometric",
                                    "Refined"}[static_cast<std::size_t>(std::get<0>(one.param))]) +
             (std::get<1>(one.param) == Change::jump ? "Jump" : "Kink") +
             (std::get<2>(one.param) ? "Weighted" : "");
    });

TEST(Width, OfAClearJumpIsOneStep) {
  for (const auto grid : {Grid::uniform, Grid::geometric, Grid::refined})
    for (const std::size_t breaks : {1U, 2U})
      for (const std::size_t sizes : {20U, 60U}) {
        const BreakCase one{grid, sizes, breaks, Change::jump, 15, false};
        const Counted found = count_covered(one, 10);
        EXPECT_EQ(found.covered, found.breaks) << one.name();
        EXPECT_EQ(found.mean_width, 1) << one.name();
      }
}

TEST(Width, OfASteepKinkIsFewSteps) {
  for (const auto grid : {Grid::uniform, Grid::geometric, Grid::refined}) {
    const BreakCase one{grid, 20, 1, Change::kink, 100, false};
    EXPECT_LT(count_covered(one, 20).mean_width, 4) << one.name();
  }
}

TEST(Width, OfAnAllButInvisibleBreakIsTheWholeSeries) {
  const Counted found = count_covered({Grid::uniform, 20, 1, Change::kink, 0.1, false}, 20);
  EXPECT_GT(found.mean_width, 14);
}

TEST(Interval, IsOpenAboveWhereOneLineMayDo) {
  const BreakSeries series({Grid::uniform, 20, 1, Change::kink, 0.1, false});
  std::mt19937_64 random(2);
  SegmentationOptions options;
  options.breaks = 1;
  const auto found = segmented_regression(series.sizes(), series.times(random), options);
  EXPECT_EQ(found.breaks.at(0).high, 19U);
}

TEST(Interval, IsTheSameOnEveryCall) {
  const BreakSeries series({Grid::geometric, 20, 1, Change::jump, 3, false});
  std::mt19937_64 random(3);
  const auto times = series.times(random);
  SegmentationOptions options;
  options.breaks = 1;
  const auto first = segmented_regression(series.sizes(), times, options);
  const auto second = segmented_regression(series.sizes(), times, options);
  EXPECT_EQ(first.breaks.at(0).low, second.breaks.at(0).low);
  EXPECT_EQ(first.breaks.at(0).high, second.breaks.at(0).high);
}

}  // namespace commgauge::segmentation_coverage_test
