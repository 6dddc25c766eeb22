#include "system/processor_clock.hpp"

#include <gtest/gtest.h>
#include <time.h>

namespace commgauge::preload::processor_clock_test {

std::int64_t cpu_time() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::int64_t{1'000'000'000} * now.tv_sec + now.tv_nsec;
}

TEST(ProcessorClock, ItGoesWithTheSystems) {
  constexpr std::int64_t computed = 10'000'000;  // [ns]
  constexpr std::int64_t near = 1'000'000;       // [ns]
  ProcessorClock clock;
  clock.calibrate();
  const std::int64_t start = clock.at_leave();
  const std::int64_t begun = cpu_time();
  while (cpu_time() - begun < computed) {
  }
  const std::int64_t passed = clock.at_enter() - start;
  EXPECT_GE(passed, computed - near);
  EXPECT_LE(passed, cpu_time() - begun + near);
}

TEST(ProcessorClock, ItNeverGoesBackBetweenLeavingAndEntering) {
  ProcessorClock clock;
  clock.calibrate();
  EXPECT_GE(clock.least_gap(), 0);
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t left = clock.at_leave();
    EXPECT_GE(clock.at_enter(), left);
  }
}

TEST(ProcessorClock, AnotherThreadsHasTheSameCalibration) {
  ProcessorClock clock;
  clock.calibrate();
  EXPECT_EQ(clock.of_another().least_gap(), clock.least_gap());
}

}  // namespace commgauge::preload::processor_clock_test
