#include "commgauge/plan/remeasure.hpp"

#include <gtest/gtest.h>

#include "samples.hpp"

namespace commgauge::remeasure_test {

/// Two round trips in eight passes, which vary by a percent.
std::vector<Observation> rows() {
  std::vector<Observation> all;
  for (int pass = 0; pass < 8; ++pass) {
    const double noise = 1 + 0.01 * ((pass * 5) % 8 - 3.5) / 3.5;
    all.push_back(samples::row(round_trip(0, 1, Bytes{1024}, {}), pass, 2e-6 * noise));
    all.push_back(samples::row(round_trip(0, 1, Bytes{65536}, {}), pass, 2e-5 * noise));
  }
  return all;
}

TEST(Remeasure, FindsTheRowThatLostASlice) {
  std::vector<Observation> all = rows();
  EXPECT_TRUE(rows_that_stand_out(all).empty());
  all[6].time_s += 8e-3;
  EXPECT_EQ(rows_that_stand_out(all), (std::vector<std::size_t>{6}));
  all[11].time_s *= 2;
  EXPECT_EQ(rows_that_stand_out(all), (std::vector<std::size_t>{6, 11}));
}

TEST(Remeasure, LeavesOutWhatCannotBeMeasuredAgain) {
  std::vector<Observation> all = rows();
  all[6].time_s += 8e-3;
  for (Observation& row : all) row.experiment.processes = 4;
  EXPECT_TRUE(rows_that_stand_out(all).empty());
}

TEST(Remeasure, TakesWhatFitsTheOtherPasses) {
  std::vector<Observation> all = rows();
  all[6].time_s += 8e-3;
  all[6].lost_blocks = 3;
  all[6].repeated_blocks = 1;
  Observation again = samples::row(all[6].experiment, 0, 2.01e-6);
  again.lost_blocks = again.repeated_blocks = 2;
  EXPECT_TRUE(replace_row(all, 6, again));
  EXPECT_EQ(all[6].time_s, 2.01e-6);
  EXPECT_EQ(all[6].pass, 3);
  EXPECT_EQ(all[6].lost_blocks, 5);
  EXPECT_EQ(all[6].repeated_blocks, 5);
  EXPECT_TRUE(rows_that_stand_out(all).empty());
}

TEST(Remeasure, KeepsTheRowWhereTheNewOneIsNoBetter) {
  std::vector<Observation> all = rows();
  all[6].time_s += 8e-3;
  const double before = all[6].time_s;
  EXPECT_FALSE(replace_row(all, 6, samples::row(all[6].experiment, 0, 5e-3)));
  EXPECT_EQ(all[6].time_s, before);
}

}  // namespace commgauge::remeasure_test
