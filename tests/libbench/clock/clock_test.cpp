#include "commgauge/bench/clock/clock.hpp"

#include <gtest/gtest.h>

namespace commgauge::bench::clock_test {

TEST(Clock, NeverRunsBackwards) {
  double last = Clock::now();
  for (int i = 0; i < 10000; ++i) {
    const double now = Clock::now();
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST(Clock, ResolutionAndCostAreMeasured) {
  const Clock clock;
  EXPECT_GT(clock.resolution().value, 0);
  EXPECT_GT(clock.cost().value, 0);
  EXPECT_LT(clock.resolution().value, 1e-3);
  EXPECT_DOUBLE_EQ(clock.shortest_block().value,
                   100 * (clock.resolution().value + clock.cost().value));
}

TEST(Clock, WaitsUntilATime) {
  for (const bool yielding : {false, true}) {
    const double goal = Clock::now() + 1e-3;
    wait_until(goal, yielding);
    EXPECT_GE(Clock::now(), goal);
  }
}

}  // namespace commgauge::bench::clock_test
