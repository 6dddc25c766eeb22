#include "thresholds/escalations/range_likelihood.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace commgauge::range_likelihood_test {

const std::vector<Count> two_of_four{{10, 0}, {10, 10}, {10, 10}, {10, 0}};

TEST(RateLikelihood, IsThatOfTheObservedRate) {
  const RateLikelihood rate(10);
  EXPECT_NEAR(rate({10, 5}), 10 * std::log(0.5), 1e-12);
  EXPECT_NEAR(rate({4, 1}), std::log(0.25) + 3 * std::log(0.75), 1e-12);
  EXPECT_EQ(rate({10, 0}), 0);
  EXPECT_EQ(rate({10, 10}), 0);
}

TEST(RangeLikelihood, CountsInsideAndOutside) {
  const RateLikelihood rate(40);
  const RangeLikelihood likelihood(rate, two_of_four);
  EXPECT_EQ(likelihood.inside({1, 2}).rate(), 1);
  EXPECT_EQ(likelihood.outside({1, 2}).rate(), 0);
  EXPECT_EQ(likelihood.inside({0, 1}).rate(), 0.5);
  EXPECT_EQ(Count{}.rate(), 0);
}

TEST(RangeLikelihood, TakesTheLargerRateInside) {
  const RateLikelihood rate(40);
  const RangeLikelihood likelihood(rate, two_of_four);
  EXPECT_EQ(likelihood({1, 2}), 0);
  EXPECT_NEAR(likelihood({1, 1}), rate({30, 10}), 1e-12);
  EXPECT_EQ(likelihood({0, 0}), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(likelihood({0, 3}), -std::numeric_limits<double>::infinity());
}

TEST(RangeLikelihood, FindsTheRange) {
  const RateLikelihood rate(40);
  const RangeLikelihood likelihood(rate, two_of_four);
  const PointRange best = likelihood.best();
  EXPECT_EQ(best.first, 1U);
  EXPECT_EQ(best.last, 2U);
}

/// 2 * gain against 3 ln(repetitions): with 2 of 10 escalated at one of two sizes 2 * 3.4 < 3
/// * 3.0.
TEST(RangeLikelihood, BicAsksForThreeParameters) {
  const RateLikelihood rate(40);
  EXPECT_TRUE(RangeLikelihood(rate, two_of_four).prefers({1, 2}));
  const std::vector<Count> few{{10, 0}, {10, 2}};
  EXPECT_FALSE(RangeLikelihood(rate, few).prefers({1, 1}));
  const std::vector<Count> more{{10, 0}, {10, 5}};
  const double gain = rate({10, 5}) - rate({20, 5});
  EXPECT_EQ(RangeLikelihood(rate, more).prefers({1, 1}), 2 * gain > 3 * std::log(20));
  const std::vector<Count> alike{{10, 5}, {10, 5}};
  EXPECT_FALSE(RangeLikelihood(rate, alike).prefers({0, 0}));
}

TEST(RangeLikelihood, EndsMayLieWhereNothingWasCounted) {
  const RateLikelihood rate(40);
  const std::vector<Count> with_gap{{10, 0}, {0, 0}, {10, 10}, {10, 0}};
  const RangeLikelihood likelihood(rate, with_gap);
  const RangeEnds ends = likelihood.likely_ends(likelihood.best(), 0.95);
  EXPECT_EQ(ends.first_low, 1U);
  EXPECT_EQ(ends.first_high, 2U);
  EXPECT_EQ(ends.last_low, 2U);
  EXPECT_EQ(ends.last_high, 2U);
}

/// A size more where none of 5 repetitions escalated while half do costs 2 * 5 * ln 2 = 6.9 at
/// least; at 95 % -2 ln(1 - sqrt(0.95)) = 7.4 are allowed, at 90 % 5.9.
TEST(RangeLikelihood, AHigherConfidenceGivesWiderEnds) {
  const std::vector<Count> half{{500, 0}, {5, 0}, {500, 250}, {500, 0}};
  const RateLikelihood rate(1505);
  const RangeLikelihood likelihood(rate, half);
  EXPECT_EQ(likelihood.best().first, 2U);
  EXPECT_EQ(likelihood.likely_ends({2, 2}, 0.95).first_low, 1U);
  EXPECT_EQ(likelihood.likely_ends({2, 2}, 0.9).first_low, 2U);
}

}  // namespace commgauge::range_likelihood_test
