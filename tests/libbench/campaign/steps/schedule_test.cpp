#include "campaign/steps/schedule.hpp"

#include <gtest/gtest.h>

#include "made_harness.hpp"

namespace commgauge::bench::schedule_test {

ScheduleChoice chosen(Schedule asked, int& ranks) {
  Options options = quick_options();
  options.schedule = asked;
  Harness harness(MPI_COMM_WORLD, options);
  ranks = harness.comm.size();
  return choose_schedule(harness, Bytes{1024});
}

TEST(ChooseSchedule, TakesWhatIsAskedForUntested) {
  int ranks = 0;
  EXPECT_FALSE(chosen(Schedule::parallel, ranks).serial);
  const ScheduleChoice serial = chosen(Schedule::serial, ranks);
  EXPECT_TRUE(serial.serial);
  EXPECT_FALSE(serial.contention.tested);
}

TEST(ChooseSchedule, OfFewerThanFourRanksNothingRunsAtOnce) {
  int ranks = 0;
  const ScheduleChoice choice = chosen(Schedule::automatic, ranks);
  EXPECT_EQ(choice.contention.tested, ranks >= 4);
  if (ranks < 4) {
    EXPECT_FALSE(choice.serial);
    return;
  }
  EXPECT_GT(choice.contention.low, 0);
  EXPECT_LE(choice.contention.low, choice.contention.ratio);
  EXPECT_LE(choice.contention.ratio, choice.contention.high);
  // The same on every rank.
  int serial = choice.serial ? 1 : 0;
  int sum = 0;
  MPI_Allreduce(&serial, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_EQ(sum, serial * ranks);
  if (choice.contention.high > 1.2) {
    EXPECT_TRUE(choice.serial);
  }
}

}  // namespace commgauge::bench::schedule_test
