#include "clock/core_watch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "commgauge/bench/clock/clock.hpp"
#include "messages/quiet.hpp"

namespace commgauge::bench::core_watch_test {

using ::testing::HasSubstr;

TEST(CoreWatch, SeesNothingBeforeItHasLearnt) {
  CoreWatch watch;
  EXPECT_FALSE(watch.watching());
  watch.open();
  const CoreUse use = watch.close();
  EXPECT_EQ(use.wall_s, 0);
  EXPECT_EQ(use.cpu_s, 0);
}

TEST(CoreWatch, TellsBlocksWhereWaitsDoNotSleep) {
  const Communicator comm(MPI_COMM_WORLD);
  CoreWatch watch;
  watch.begin_batch();
  watch.end_batch(1'000'000);
  watch.learn(comm);
  ASSERT_TRUE(watch.watching()) << watch.why_not();
  EXPECT_EQ(watch.why_not(), "");
  watch.open();
  const double start = Clock::now();
  wait_until(start + 5e-3, false);
  const double took = Clock::now() - start;
  const CoreUse busy = watch.close();
  EXPECT_GE(busy.wall_s, took);
  EXPECT_GT(busy.cpu_s, 0);
  EXPECT_LE(busy.cpu_s, busy.wall_s + 1e-3);
  for (int moment = 0; moment < 20; ++moment) sleep_briefly();
  const CoreUse asleep = watch.close();
  EXPECT_GE(asleep.wall_s, 20 * 0.99e-4) << "the next block begins where the last one ends";
  EXPECT_LT(asleep.cpu_s, asleep.wall_s);
  EXPECT_EQ(asleep.machine, busy.machine);
  EXPECT_EQ(asleep.first_core, busy.last_core);
}

/// Whichever rank has found it out.
TEST(CoreWatch, IsOffWhereWaitsSleep) {
  const Communicator comm(MPI_COMM_WORLD);
  CoreWatch watch;
  watch.begin_batch();
  if (comm.rank() == 1) {
    for (int wait = 0; wait < 4; ++wait) sleep_briefly();
  }
  watch.end_batch(comm.rank() == 1 ? 4 : 1'000'000);
  watch.learn(comm);
  EXPECT_FALSE(watch.watching());
  EXPECT_THAT(watch.why_not(), HasSubstr("MPI sleeps while it waits"));
  watch.learn(comm);
  EXPECT_FALSE(watch.watching()) << "once is enough";
}

TEST(StolenTime, IsAShare) {
  std::vector<int> cores(1024);
  std::iota(cores.begin(), cores.end(), 0);
  const StolenTime stolen(cores);
  const double until = Clock::now() + 20e-3;
  wait_until(until, true);
  EXPECT_GE(stolen.share(), 0);
  EXPECT_LE(stolen.share(), 1);
  EXPECT_EQ(StolenTime({}).share(), 0) << "of no core";
}

}  // namespace commgauge::bench::core_watch_test
