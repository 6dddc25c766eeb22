#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "virtual_time.hpp"

namespace commgauge::virtual_time::clocks_test {

using namespace std::chrono_literals;

double reading(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

TEST(Sleep, EveryKindPassesVirtualTime) {
  EXPECT_NEAR(time_of([] { usleep(300); }), 300 * us, eps);
  EXPECT_NEAR(time_of([] { sleep(3); }), 3, eps);
  EXPECT_NEAR(time_of([] { std::this_thread::sleep_for(40us); }), 40 * us, eps);
  EXPECT_NEAR(
      time_of([] { std::this_thread::sleep_until(std::chrono::steady_clock::now() + 5ms); }), 5e-3,
      eps);
}

TEST(Sleep, UntilATimeThatHasPassedTakesNone) {
  timespec past{};
  clock_gettime(CLOCK_MONOTONIC, &past);
  pass(1e-3);
  EXPECT_NEAR(time_of([&] { clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &past, nullptr); }), 0,
              eps);
}

TEST(Sleep, ADayIsOverSoon) {
  EXPECT_NEAR(time_of([] { pass(86'400); }), 86'400, eps);
}

class Clocks : public testing::TestWithParam<clockid_t> {};

TEST_P(Clocks, TheyTellVirtualTime) {
  const double start = reading(GetParam());
  pass(2);
  EXPECT_NEAR(reading(GetParam()) - start, 2, 1 * us);
}

INSTANTIATE_TEST_SUITE_P(All, Clocks,
                         testing::Values(CLOCK_REALTIME, CLOCK_REALTIME_COARSE, CLOCK_MONOTONIC,
                                         CLOCK_MONOTONIC_RAW, CLOCK_BOOTTIME));

TEST(Clocks, OlderCallsTellTheSame) {
  timeval now{};
  gettimeofday(&now, nullptr);
  const auto seconds = time(nullptr);
  pass(10);
  timeval later{};
  gettimeofday(&later, nullptr);
  EXPECT_EQ(later.tv_sec - now.tv_sec, 10);
  EXPECT_NEAR(static_cast<double>(later.tv_usec - now.tv_usec), 0, 2);
  EXPECT_EQ(time(nullptr) - seconds, 10);
}

class ProcessorTime : public Aligned {
 protected:
  [[nodiscard]] double used() const { return reading(CLOCK_THREAD_CPUTIME_ID) - start_; }

 private:
  double start_{reading(CLOCK_THREAD_CPUTIME_ID)};
};

TEST_F(ProcessorTime, SleepingTakesNone) {
  pass(2);
  EXPECT_NEAR(used(), 0, eps);
}

TEST_F(ProcessorTime, WhoWaitsInMpiAsksAllTheTime) {
  int got = 0;
  MPI_Sendrecv(&rank_, 1, MPI_INT, next(), 0, &got, 1, MPI_INT, before(), 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  EXPECT_NEAR(used(), message(4), eps);
}

TEST_F(ProcessorTime, TheSystemsUseOfItTellsTheSame) {
  rusage use{};
  getrusage(RUSAGE_THREAD, &use);
  const double told =
      static_cast<double>(use.ru_utime.tv_sec) + 1e-6 * static_cast<double>(use.ru_utime.tv_usec);
  EXPECT_NEAR(told, reading(CLOCK_THREAD_CPUTIME_ID), 2 * us);
  EXPECT_EQ(use.ru_stime.tv_sec, 0);
  EXPECT_EQ(use.ru_stime.tv_usec, 0);
}

}  // namespace commgauge::virtual_time::clocks_test
