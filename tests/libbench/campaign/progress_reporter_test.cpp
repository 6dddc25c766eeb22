#include "campaign/progress_reporter.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace commgauge::bench::progress_reporter_test {

TEST(ProgressReporter, TellsRank0HowFarItHasCome) {
  const Communicator comm(MPI_COMM_WORLD);
  std::vector<Progress> told;
  Options options;
  options.progress = [&](const Progress& progress) { told.push_back(progress); };
  const Timekeeper timekeeper(comm, options);
  ProgressReporter reporter(comm, options, timekeeper);
  reporter.report("warm-up");
  reporter.begin_passes({.begin = timekeeper.elapsed(), .rounds = 10, .passes = 4}, 40);
  reporter.set_done(20);
  wait_until(Clock::now() + 1e-3, false);
  reporter.report("measuring");
  if (comm.rank() != 0) {
    EXPECT_TRUE(told.empty());
    return;
  }
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(told[0].phase, "warm-up");
  EXPECT_EQ(told[0].total, 0);
  EXPECT_LT(told[0].remaining.value, 0) << "not known yet";
  EXPECT_EQ(told[1].phase, "measuring");
  EXPECT_EQ(told[1].done, 20);
  EXPECT_EQ(told[1].total, 40);
  EXPECT_GE(told[1].elapsed.value, 1e-3);
  // Half is done, so as much is left as has passed since the passes began.
  EXPECT_GE(told[1].remaining.value, 0.99e-3);
  EXPECT_LE(told[1].remaining, timekeeper.elapsed());
}

TEST(ProgressReporter, SaysNothingToNobody) {
  const Communicator comm(MPI_COMM_WORLD);
  const Options options;
  const Timekeeper timekeeper(comm, options);
  EXPECT_NO_THROW(ProgressReporter(comm, options, timekeeper).report("measuring"));
}

}  // namespace commgauge::bench::progress_reporter_test
