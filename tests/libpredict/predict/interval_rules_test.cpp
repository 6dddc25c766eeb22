#include "predict/interval_rules.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

namespace commgauge::interval_rules_test {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
constexpr double z = 1.959964;  ///< of 95 % of normal values, by table
/// Of one more after three of deviation 1: Student's 4.302653, times the root of 4/3.
constexpr double after_three = 4.968276;

TEST(IntervalRules, JoinReplicatesAndMisfitAsSquares) {
  const Model model;
  const IntervalRules rules(model);
  // 0.3 and 0.4 make 0.5.
  const Prediction both = rules.joined(100, 100, 0.3, 0.4 / z, true);
  EXPECT_EQ(both.time, Seconds{100});
  EXPECT_NEAR(both.low.value, 100 / std::exp(0.5), 1e-4);
  EXPECT_NEAR(both.high.value, 100 * std::exp(0.5), 1e-4);
  EXPECT_TRUE(both.extrapolated);
  const Prediction one = rules.joined(100, 100, 0.3, unknown, false);
  EXPECT_NEAR(one.high.value, 100 * std::exp(0.3), 1e-9);
  EXPECT_FALSE(one.extrapolated);
}

TEST(IntervalRules, AreWiderAtAHigherConfidence) {
  Model model;
  model.confidence = 0.99;
  const IntervalRules rules(model);
  EXPECT_NEAR(rules.joined(1, 1, 0, 0.1, false).high.value, std::exp(0.2575829), 1e-6);
}

TEST(IntervalRules, ReachDownFromTheLeastTime) {
  const Model model;
  const IntervalRules rules(model);
  const Prediction prediction = rules.joined(100, 80, 0.3, unknown, false);
  EXPECT_NEAR(prediction.low.value, 80 / std::exp(0.3), 1e-9);
  EXPECT_NEAR(prediction.high.value, 100 * std::exp(0.3), 1e-9);
  EXPECT_NEAR(rules.joined(100, 120, 0.3, unknown, false).low.value, 100 / std::exp(0.3), 1e-9);
}

TEST(IntervalRules, OfATimeNotAboveZeroAreDifferences) {
  const Model model;
  const IntervalRules rules(model);
  // The replicates' 3, and a misfit of twice 2: 5 in all.
  const Prediction prediction = rules.joined(-2, -2, 3, 2 / z, false);
  EXPECT_NEAR(prediction.low.value, -7, 1e-5);
  EXPECT_NEAR(prediction.high.value, 3, 1e-5);
}

TEST(IntervalRules, AreNoneWhereReplicatesTellNothing) {
  const Model model;
  const IntervalRules rules(model);
  const Prediction prediction = rules.joined(100, 100, unknown, 0.1, true);
  EXPECT_EQ(prediction.time, Seconds{100});
  EXPECT_FALSE(prediction.has_interval());
  EXPECT_TRUE(std::isnan(prediction.high.value));
  EXPECT_TRUE(prediction.extrapolated);
}

TEST(IntervalRules, OneMoreReplicateByThoseThatKnowThePair) {
  const Model model;
  IntervalRules rules(model);
  const std::array times{1.0, unknown, std::exp(1), std::exp(2)};
  EXPECT_NEAR(
      rules.next_half_width(ReplicateKind::passes, 4, 3, [&](std::size_t k) { return times[k]; }),
      after_three, 1e-5);
  const std::array differences{-1.0, 0.0, 1.0};
  EXPECT_NEAR(rules.next_half_width(ReplicateKind::passes, 3, 0,
                                    [&](std::size_t k) { return differences[k]; }),
              after_three, 1e-5);
  EXPECT_TRUE(std::isnan(
      rules.next_half_width(ReplicateKind::passes, 1, 3, [](std::size_t) { return 1.0; })));
}

/// What is drawn scatters as the mean of a launch's passes, a further pass more.
TEST(IntervalRules, ADrawStandsForTheLaunchsPasses) {
  Model model;
  model.launches.resize(1);
  model.launches.front().passes = 4;
  IntervalRules rules(model);
  EXPECT_NEAR(rules.next_half_width(ReplicateKind::draws, 3, 0,
                                    [](std::size_t k) { return static_cast<double>(k); }),
              4.302653 * std::sqrt(5), 1e-5);
}

}  // namespace commgauge::interval_rules_test
