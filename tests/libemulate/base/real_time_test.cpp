#include "base/real_time.hpp"

#include <gtest/gtest.h>

namespace commgauge::emulate::real_time_test {

TEST(RealTime, SleepingEndsNoSoonerThanSaid) {
  const double until = real_time() + 2e-3;
  sleep_until(until);
  EXPECT_GE(real_time(), until);
}

TEST(RealTime, APastTimeIsNotWaitedFor) {
  sleep_until(real_time() - 1);
  SUCCEED();
}

TEST(RealTime, WhoSleepsUsesNoProcessor) {
  const double used = cpu_time();
  sleep_until(real_time() + 20e-3);
  EXPECT_LT(cpu_time() - used, 10e-3);
}

TEST(RealTime, NanosecondsAreRounded) {
  EXPECT_EQ(nanoseconds(1.6e-9), 2);
  EXPECT_EQ(nanoseconds(-1.6e-9), -2);
  EXPECT_EQ(nanoseconds(3), 3'000'000'000);
}

TEST(RealTime, SecondsOfATime) { EXPECT_DOUBLE_EQ(seconds_of({2, 500'000'000}), 2.5); }

}  // namespace commgauge::emulate::real_time_test
