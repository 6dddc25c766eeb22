#include "thresholds/escalations/escalated_repetitions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace commgauge::escalated_repetitions_test {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

constexpr double ms = 1e-3;

/// Eight sizes that take 10 ms each time; the fourth once 210 ms.
Sweep once_longer() {
  Sweep sweep;
  for (std::uint64_t size = 1; size <= 128; size *= 2) {
    for (int pass = 0; pass < 5; ++pass) add_times(sweep, Bytes{size}, {{10 * ms}}, {{pass}});
  }
  sweep.points[3].times_s[2] = 210 * ms;
  return sweep;
}

const Sweep sweep = once_longer();
const EscalatedRepetitions repetitions(sweep, 1 * ms);

TEST(EscalatedRepetitions, TakeTwiceAsLongAtLeast) {
  EXPECT_EQ(repetitions.limit_s(), 1 * ms);
  EXPECT_EQ(repetitions.limit_ratio(), 1);
  const ExcessLimits limits = repetitions.visible(std::numeric_limits<double>::infinity());
  for (const auto& limit : limits) EXPECT_EQ(limit, 10 * ms);
  const std::vector<Count> counts = repetitions.counted(limits);
  EXPECT_EQ(counts[3].all, 5U);
  EXPECT_EQ(counts[3].escalated, 1U);
  EXPECT_EQ(counts[4].escalated, 0U);
}

TEST(EscalatedRepetitions, HaveATypicalExcess) {
  const TypicalEscalation typical = repetitions.typical({2, 4});
  EXPECT_NEAR(typical.excess_s, 200 * ms, 1e-12);
  EXPECT_NEAR(typical.least_ratio, 20, 1e-9);
  EXPECT_EQ(repetitions.typical({5, 6}).excess_s, 0);
}

TEST(EscalatedRepetitions, HalfATypicalExcessIsEnoughForAllAlike) {
  for (const auto& limit : repetitions.equally_visible(200 * ms)) EXPECT_EQ(limit, 100 * ms);
  for (const auto& limit : repetitions.relatively_longer_than(10)) {
    EXPECT_THAT(limit.value(), DoubleNear(100 * ms, 1e-12));
  }
  for (const auto& limit : repetitions.above_own_shortest()) EXPECT_EQ(limit, 10 * ms);
}

/// 12 ms is no limit of a size that takes 10 s, but steady repetitions would show 6 ms.
TEST(EscalatedRepetitions, LargeSizesTellWhereTheyAreSteady) {
  Sweep large = once_longer();
  add_times(large, Bytes{256}, std::vector<double>(5, 10.0));
  add_times(large, Bytes{512}, {{20.0, 20.02, 20.04, 20.1, 20.2}});
  const ExcessLimits limits = EscalatedRepetitions(large, 1 * ms).visible(12 * ms);
  EXPECT_EQ(limits[0], 10 * ms);
  EXPECT_EQ(limits[8], 6 * ms);
  EXPECT_EQ(limits[9], std::nullopt);
}

/// Where others scatter by 1 %, noise of 10 s is three times that: more than 6 ms.
TEST(EscalatedRepetitions, FiveRepetitionsAreEnoughToBeSteady) {
  Sweep noisy = once_longer();
  for (SweepPoint& point : noisy.points) {
    for (double& time : point.times_s) time = 10.1 * ms;
    point.times_s[0] = 10 * ms;
  }
  add_times(noisy, Bytes{256}, std::vector<double>(5, 10.0));
  add_times(noisy, Bytes{512}, std::vector<double>(4, 10.0));
  const ExcessLimits limits = EscalatedRepetitions(noisy, 1 * ms).visible(12 * ms);
  EXPECT_EQ(limits[8], 6 * ms);
  EXPECT_EQ(limits[9], std::nullopt);
}

TEST(EscalatedRepetitions, PassesHoldTheirs) {
  const std::vector<Pass> passes = repetitions.passes(repetitions.equally_visible(200 * ms));
  ASSERT_EQ(passes.size(), 5U);
  EXPECT_THAT(passes[2].points, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(passes[2].escalated,
              ElementsAre(false, false, false, true, false, false, false, false));
  EXPECT_THAT(passes[1].escalated, ::testing::Each(false));
}

TEST(EscalationLimits, AreTimes) {
  Escalations found;
  found.limit_s = 15 * ms;
  found.limit_ratio = 1;
  EXPECT_THAT(escalation_limits(sweep, found), ::testing::Each(DoubleNear(25 * ms, 1e-12)));
  found.limit_ratio = 3;
  EXPECT_THAT(escalation_limits(sweep, found), ::testing::Each(DoubleNear(40 * ms, 1e-12)));
}

}  // namespace commgauge::escalated_repetitions_test
