#include <semaphore.h>

#include <cerrno>

#include "threads/other_thread.hpp"

namespace commgauge::virtual_time::following_test {

/// A semaphore that is waited for until a time on a clock.
class Deadlines : public testing::TestWithParam<clockid_t> {
 protected:
  Deadlines() { sem_init(&semaphore_, 0, 0); }
  ~Deadlines() override { sem_destroy(&semaphore_); }

  /// @return 0 or what errno says
  int wait(long seconds, long nanoseconds = -1) {
    timespec end{};
    clock_gettime(GetParam(), &end);
    end.tv_sec += seconds;
    if (nanoseconds >= 0) end.tv_nsec = nanoseconds;
    return sem_clockwait(&semaphore_, GetParam(), &end) == 0 ? 0 : errno;
  }
  sem_t semaphore_{};
};

TEST_P(Deadlines, TheyAreKeptInVirtualTime) {
  EXPECT_NEAR(time_of([&] { EXPECT_EQ(wait(2), ETIMEDOUT); }), 2, few_looks);
}

TEST_P(Deadlines, OneThatHasPassedEndsAtOnce) {
  EXPECT_NEAR(time_of([&] { EXPECT_EQ(wait(-1), ETIMEDOUT); }), 0, few_looks);
}

TEST_P(Deadlines, WhatComesInTimeEndsTheWait) {
  int code = -1;
  const double time = wait_for(
      5 * ms, [&] { code = wait(60); }, [&] { sem_post(&semaphore_); });
  EXPECT_EQ(code, 0);
  EXPECT_NEAR(time, 5 * ms, few_looks);
}

TEST_P(Deadlines, OneThatIsNoTimeIsTheCLibrarysError) { EXPECT_EQ(wait(0, 1'000'000'000), EINVAL); }

INSTANTIATE_TEST_SUITE_P(OfClocks, Deadlines, testing::Values(CLOCK_REALTIME, CLOCK_MONOTONIC));

}  // namespace commgauge::virtual_time::following_test
