#include "commgauge/model/spread.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "commgauge/base/statistics.hpp"

namespace commgauge::spread_test {

constexpr double t_of_two = 4.302653;  ///< Student's at 95 % with 2 degrees of freedom, by table
constexpr std::array one_two_three{1.0, 2.0, 3.0};
const std::vector<double> one_to_eight{1, 2, 3, 4, 5, 6, 7, 8};

std::vector<double> with_last(double last) {
  std::vector<double> values = one_to_eight;
  values.back() = last;
  return values;
}

/// Their standard deviation is 1.
TEST(Spread, OfThreeIsStudents) {
  for (const ReplicateKind kind : {ReplicateKind::passes, ReplicateKind::launches}) {
    const Spread spread = SpreadRule(kind, 3, 0.95)(one_two_three);
    EXPECT_NEAR(spread.mean_half_width, t_of_two / std::sqrt(3), 1e-6);
    EXPECT_NEAR(spread.next_half_width, t_of_two * std::sqrt(1 + 1.0 / 3), 1e-6);
    EXPECT_EQ(spread.shift, 0);
  }
}

/// Each scatters as the mean of four passes does, a pass twice as much.
TEST(Spread, ADrawStandsForTheMeanOfAllPasses) {
  const Spread spread = SpreadRule(ReplicateKind::draws, 3, 0.95, 4)(one_two_three);
  EXPECT_NEAR(spread.mean_half_width, t_of_two, 1e-6);
  EXPECT_NEAR(spread.next_half_width, t_of_two * std::sqrt(1 + 4.0), 1e-5);
}

TEST(Spread, IsUnknownWhereNothingTells) {
  const auto is_unknown = [](const std::vector<double>& values) {
    const Spread spread = SpreadRule(ReplicateKind::passes, values.size(), 0.95)(values);
    return std::isnan(spread.mean_half_width) && std::isnan(spread.next_half_width);
  };
  EXPECT_TRUE(is_unknown({}));
  EXPECT_TRUE(is_unknown({1}));
  EXPECT_TRUE(is_unknown({1, 2, std::numeric_limits<double>::quiet_NaN()}));
  EXPECT_TRUE(is_unknown({1, 2, std::numeric_limits<double>::infinity()}));
  EXPECT_FALSE(is_unknown({1, 2}));
}

TEST(Spread, OneFarOffCountsAsIfItWereNear) {
  const SpreadRule rule(ReplicateKind::passes, 8, 0.95);
  const Spread near = rule(one_to_eight);
  EXPECT_EQ(near.shift, 0);
  const std::vector<double> far_off = with_last(1000);
  const Spread far = rule(far_off);
  EXPECT_LT(far.mean_half_width, 2 * near.mean_half_width);
  EXPECT_LT(far.next_half_width, 2 * near.next_half_width);
  EXPECT_NEAR(mean(far_off) + far.shift, mean(one_to_eight), 1);
  const Spread farther = rule(with_last(1e6));
  EXPECT_NEAR(farther.mean_half_width, far.mean_half_width, 1e-9);
  EXPECT_NEAR(mean(with_last(1e6)) + farther.shift, mean(far_off) + far.shift, 1e-9);
}

/// The deviation of 1 to 7 and 1000 is 352.
TEST(Spread, AFurtherLaunchMayBeFarOffToo) {
  const Spread launches = SpreadRule(ReplicateKind::launches, 8, 0.95)(with_last(1000));
  EXPECT_LT(launches.mean_half_width, 5);
  EXPECT_GT(launches.next_half_width, 352 * 2);
}

TEST(Spread, DrawsCountAsTheyAre) {
  const Spread draws = SpreadRule(ReplicateKind::draws, 8, 0.95)(with_last(1000));
  EXPECT_GT(draws.mean_half_width, 352 * 2);
  EXPECT_EQ(draws.shift, 0);
}

TEST(Spread, IntervalsOfNormalValuesHold) {
  std::mt19937_64 random{1};
  std::normal_distribution<double> normal;
  const SpreadRule rule(ReplicateKind::passes, 8, 0.95);
  constexpr int tries = 10000;
  int mean_inside = 0;
  int next_inside = 0;
  std::vector<double> values(8);
  for (int i = 0; i < tries; ++i) {
    for (double& value : values) value = normal(random);
    const Spread spread = rule(values);
    const double centre = mean(values) + spread.shift;
    mean_inside += std::abs(centre) <= spread.mean_half_width;
    next_inside += std::abs(centre - normal(random)) <= spread.next_half_width;
  }
  // Four standard errors.
  EXPECT_NEAR(mean_inside / double{tries}, 0.95, 0.009);
  EXPECT_NEAR(next_inside / double{tries}, 0.95, 0.009);
}

/// Logarithms of 0, 1 and 2.
TEST(NextLogHalfWidth, IsOfTheLogarithms) {
  const SpreadRule rule(ReplicateKind::passes, 3, 0.95);
  const std::array times{1.0, std::exp(1), std::exp(2)};
  EXPECT_NEAR(next_log_half_width(rule, times, 3), t_of_two * std::sqrt(1 + 1.0 / 3), 1e-6);
}

TEST(NextLogHalfWidth, OfTimesNotAboveZeroIsOfTheTimes) {
  const SpreadRule rule(ReplicateKind::passes, 3, 0.95);
  const std::array times{-1.0, 0.0, 1.0};
  EXPECT_NEAR(std::exp(next_log_half_width(rule, times, 2)),
              (2 + t_of_two * std::sqrt(1 + 1.0 / 3)) / 2, 1e-6);
}

}  // namespace commgauge::spread_test
