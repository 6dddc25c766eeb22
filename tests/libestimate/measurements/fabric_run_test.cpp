#include "commgauge/measurements/fabric_run.hpp"

#include <gtest/gtest.h>

namespace commgauge::fabric_run_test {

FabricRun three_repetitions() {
  FabricRun run;
  run.size = Bytes{100};
  run.start_s = 1;
  run.rounds = {{{{0, 1}, {1, 0}}, {{3, 5}, {2, 9}, {4, 6}}}};
  return run;
}

TEST(FabricRun, TimesOfBytesAreMediansWithoutTheStart) {
  const FabricRun run = three_repetitions();
  const auto times = byte_times(run, run.rounds[0]);
  ASSERT_EQ(times.size(), 2U);
  EXPECT_DOUBLE_EQ(times[0].value, 0.02);
  EXPECT_DOUBLE_EQ(times[1].value, 0.05);
}

TEST(FabricRun, OfOneRepetitionTimesAreAsTheyAre) {
  const FabricRun run = three_repetitions();
  const auto times = byte_times(run, run.rounds[0], 1);
  ASSERT_EQ(times.size(), 2U);
  EXPECT_DOUBLE_EQ(times[0].value, 0.01);
  EXPECT_DOUBLE_EQ(times[1].value, 0.08);
}

}  // namespace commgauge::fabric_run_test
