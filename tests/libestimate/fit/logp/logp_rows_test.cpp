#include "fit/logp/logp_rows.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "by_hand.hpp"

namespace commgauge::logp_rows_test {

TEST(LogPRows, AreOfOrderedPairs) {
  const TimeTable table(by_hand::measurements(2, by_hand::two_ranks()), 0.95);
  const std::vector<LogPRows> pairs = logp_rows(table, Kind::receive_overhead);
  ASSERT_EQ(pairs.size(), 2U);
  const LogPRows& pair = pairs[1];
  EXPECT_EQ(pair.from, 1);
  EXPECT_EQ(pair.to, 0);
  ASSERT_EQ(pair.round_trips.size(), 2U);
  EXPECT_EQ(pair.round_trips[1].size, 1000);
  EXPECT_EQ(pair.sends.size(), 2U);
  ASSERT_EQ(pair.receives.size(), 2U);
  // The receiver measures its own: rank 0's.
  EXPECT_EQ(pair.receives[0].row, *table.find(receive_overhead(0, 1, Bytes{0}, false)));
  EXPECT_EQ(logp_rows(table, Kind::receive_overhead_progress)[0].receives.size(), 0U);
}

TEST(LogPRows, AFloodIsTakenAgainstOneMessage) {
  std::vector<by_hand::Timed> times = by_hand::two_ranks();
  times.push_back({flood(0, 1, 6, Seconds{1e-5}, {}), 105e-6});
  times.push_back({flood(0, 1, 3, {}, {}), 39e-6});
  const TimeTable table(by_hand::measurements(2, times), 0.95);
  const LogPRows pair = logp_rows(table, Kind::receive_overhead)[0];
  EXPECT_NEAR(gap_at(pair, 0, table.times()), 3e-6, 1e-15);
  EXPECT_NEAR(gap_at(pair, 1000, table.times()), 10e-6, 1e-15);
  EXPECT_TRUE(std::isnan(gap_at(pair, 500, table.times())));
  ASSERT_EQ(pair.delayed.size(), 1U);
  EXPECT_NEAR(pair.delayed[0].each(table.times()), 3e-6, 1e-15) << "13 us with a delay of 10";
  EXPECT_EQ(pair.void_floods, 1) << "shorter than one message";
}

TEST(LogPRows, LeaveOutChecksAndStepsOfTheNumberOfProcesses) {
  std::vector<by_hand::Timed> times = by_hand::two_ranks();
  Experiment check = round_trip(0, 1, Bytes{500}, {});
  check.check = true;
  Experiment step = send_overhead(0, 1, Bytes{500});
  step.processes = 2;
  times.insert(times.end(), {{check, 50e-6}, {step, 2e-6}});
  const TimeTable table(by_hand::measurements(2, times), 0.95);
  const LogPRows pair = logp_rows(table, Kind::receive_overhead)[0];
  EXPECT_FALSE(find_size(pair.round_trips, 500));
  EXPECT_FALSE(find_size(pair.sends, 500));
  EXPECT_TRUE(find_size(pair.sends, 1000));
}

TEST(LogPRows, AreInterpolatedBetweenSizes) {
  const std::vector<SizedRow> rows{{10, 2}, {20, 0}};
  const std::array times{8.0, 0.0, 4.0};
  EXPECT_EQ(interpolate(rows, times, 10), 4);
  EXPECT_EQ(interpolate(rows, times, 15), 6);
  EXPECT_EQ(interpolate(rows, times, 5), 4);
  EXPECT_EQ(interpolate(rows, times, 25), 8);
  const auto above = [](double size) { return size > 10; };
  EXPECT_EQ(count_sizes(std::vector<SizedRow>{{10, 0}, {20, 1}, {20, 2}, {30, 3}}, above), 2);
}

}  // namespace commgauge::logp_rows_test
