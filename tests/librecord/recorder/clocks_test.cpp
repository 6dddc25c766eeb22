#include "recorder/clocks.hpp"

#include <gtest/gtest.h>

namespace commgauge::record::clocks_test {

TEST(Clocks, GoOn) {
  for (const bool reads_cpu : {false, true}) {
    Clocks clocks(reads_cpu);
    const Moment before = clocks.at_enter();
    const std::int64_t returned = clocks.at_return();
    const Moment after = clocks.at_leave(returned);
    EXPECT_LE(before.time, returned);
    EXPECT_LE(returned, after.time);
    EXPECT_LE(before.cpu, after.cpu);
  }
}

TEST(Clocks, OfRealTimeHaveNoProcessorTime) {
  Clocks clocks(false);
  EXPECT_EQ(clocks.at_enter().cpu, 0);
  EXPECT_EQ(clocks.at_leave(clocks.at_return()).cpu, 0);
}

TEST(Clocks, TheLeastGapIsShortAndNotNegative) {
  for (const bool reads_cpu : {false, true}) {
    const Moment gap = Clocks(reads_cpu).least_gap();
    EXPECT_GE(gap.time, 0);
    EXPECT_GE(gap.cpu, 0);
    EXPECT_LT(gap.time, 1'000'000) << "a millisecond";
  }
}

}  // namespace commgauge::record::clocks_test
