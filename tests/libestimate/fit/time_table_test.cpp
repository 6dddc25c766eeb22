#include "fit/time_table.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "by_hand.hpp"
#include "commgauge/base/statistics.hpp"

namespace commgauge::time_table_test {

const Experiment there = round_trip(0, 1, Bytes{8}, {});
const Experiment back = round_trip(1, 0, Bytes{8}, {});

/// One time in each pass.
Measurements passes(const std::vector<double>& times) {
  Measurements m = by_hand::measurements(2, {{there, 0}}, static_cast<int>(times.size()));
  for (std::size_t k = 0; k < times.size(); ++k) {
    Observation& row = m.observations[k];
    row.time_s = row.low_s = row.high_s = times[k];
  }
  return m;
}

TEST(TimeTable, HasEachExperimentOnceWithItsMean) {
  Measurements m = passes({1, 2, 6});
  m.observations.push_back(m.observations.front());
  m.observations.back().experiment = back;
  m.observations.back().time_s = 5;
  const TimeTable table(m, 0.9);
  EXPECT_EQ(table.ranks(), 2);
  EXPECT_EQ(table.confidence(), 0.9);
  ASSERT_EQ(table.experiments().size(), 2U);
  EXPECT_EQ(table.times()[*table.find(there)], 3);
  EXPECT_EQ(table.times()[*table.find(back)], 5);
  EXPECT_FALSE(table.find(round_trip(0, 1, Bytes{9}, {})));
}

TEST(TimeTable, RowsOfOnePassCountAsOne) {
  Measurements m = passes({2, 4, 9});
  m.observations[1].pass = 0;
  const TimeTable table(m, 0.95);
  EXPECT_EQ(table.times()[0], 6) << "the mean of 3 and 9";
}

TEST(TimeTable, ReplicatesHaveAllThatIsUsed) {
  Measurements m = by_hand::measurements(2, {{there, 1}, {back, 2}}, 4);
  m.observations.pop_back();
  const TimeTable table(m, 0.95);
  const std::array one{*table.find(there)};
  const std::array both{*table.find(there), *table.find(back)};
  EXPECT_EQ(table.replicates(one).times.size(), 4U);
  EXPECT_EQ(table.replicates(both).times.size(), 3U);
  EXPECT_EQ(table.replicates(both).kind, ReplicateKind::passes);
}

/// 10 and 12: their mean is off by 1.
TEST(TimeTable, FewerThanThreePassesAreDrawnAroundTheirMean) {
  const TimeTable table(passes({10, 12}), 0.95);
  const Replicates drawn = table.replicates(std::array{std::size_t{0}});
  EXPECT_EQ(drawn.kind, ReplicateKind::draws);
  std::vector<double> times;
  for (const auto& replicate : drawn.times) times.push_back(replicate[0]);
  ASSERT_GT(times.size(), 10U);
  const double error = std::sqrt(variance(times));
  EXPECT_NEAR(mean(times), 11, 4 / std::sqrt(static_cast<double>(times.size())));
  EXPECT_NEAR(error, 1, 4 / std::sqrt(2 * static_cast<double>(times.size())));
}

TEST(TimeTable, WhatStandsOutIsLeftOut) {
  const TimeTable table(passes({9.9, 10.1, 9.95, 10.05, 9.98, 10.02, 10, 1000}), 0.95);
  EXPECT_EQ(table.left_out(), 1U);
  EXPECT_EQ(table.measured(), 8U);
  EXPECT_NEAR(table.times()[0], 10, 1e-12);
  const TimeTable quiet(passes({9.9, 10.1, 9.95, 10.05, 9.98, 10.02, 10, 10}), 0.95);
  EXPECT_EQ(quiet.left_out(), 0U);
}

}  // namespace commgauge::time_table_test
