#include "commgauge/assemble/one_way.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "samples.hpp"

namespace commgauge::one_way_test {

using samples::row;

constexpr Bytes size{1024};

/// A launch whose passes have these empty round trips and these with 1 KiB, of ranks 0 and 1.
Measurements passes(const std::vector<double>& empty_s, const std::vector<double>& full_s) {
  Measurements m;
  m.launches = {samples::launch(2)};
  for (int pass = 0; pass < static_cast<int>(full_s.size()); ++pass) {
    const auto k = static_cast<std::size_t>(pass);
    if (k < empty_s.size())
      m.observations.push_back(row(round_trip(0, 1, {}, {}), pass, empty_s[k]));
    m.observations.push_back(row(round_trip(0, 1, size, {}), pass, full_s[k]));
  }
  return m;
}

TEST(OneWay, OfAMessageIsWithoutHalfAnEmptyRoundTripOfItsPass) {
  const OneWayTimes times =
      one_way_times(passes({2e-6, 4e-6, 2e-6}, {5e-6, 6.5e-6, 5e-6}), Which::all);
  ASSERT_EQ(times.all.size(), 1U);
  const OneWayTime& time = times.all.front();
  EXPECT_EQ(time.operation, Operation::p2p);
  EXPECT_EQ(time.from, 0);
  EXPECT_EQ(time.to, 1);
  EXPECT_EQ(time.size, size);
  EXPECT_DOUBLE_EQ(time.time_s, 4e-6);  // the median of 4, 4.5 and 4
  ASSERT_EQ(time.repeats_s.size(), 3U);
  EXPECT_DOUBLE_EQ(time.repeats_s[1], 4.5e-6);
  EXPECT_TRUE(times.left_out().empty());
}

TEST(OneWay, EmptyRoundTripsOfBothDirectionsCount) {
  Measurements m = passes({2e-6}, {5e-6});
  m.observations.push_back(row(round_trip(1, 0, {}, {}), 0, 4e-6));
  EXPECT_DOUBLE_EQ(one_way_times(m, Which::all).all.front().time_s, 5e-6 - 1.5e-6);
}

TEST(OneWay, ARingOfTwoIsAnExchange) {
  Measurements m = passes({2e-6}, {5e-6});
  m.launches = {samples::launch(3)};
  m.observations.push_back(row(exchange(1, 0, size), 0, 7e-6));
  m.observations.push_back(row(ring(0, ring_order(3, 0, 2), size), 0, 9e-6));
  const OneWayTimes times = one_way_times(m, Which::all);
  ASSERT_EQ(times.all.size(), 3U);
  EXPECT_EQ(times.all[1].operation, Operation::exchange);
  EXPECT_EQ(times.all[1].from, 1);
  EXPECT_EQ(times.all[1].to, 0);
  EXPECT_DOUBLE_EQ(times.all[1].time_s, 7e-6) << "nothing is taken off";
  EXPECT_EQ(times.all[2].operation, Operation::ring);
  EXPECT_EQ(times.all[2].to, 2) << "who comes next";
}

/// A rank that lost its core during the empty round trips makes the difference negative.
TEST(OneWay, ATimeBelowZeroIsNoCheckAndSaid) {
  Measurements m = passes({8e-3, 2e-6, 9e-3}, {5e-6, 5e-6, 5e-6});
  for (int pass = 0; pass < 3; ++pass) {
    m.observations.push_back(row(flat_gather(2, 0, size), pass, 7e-6));
  }
  const OneWayTimes times = one_way_times(m, Which::all);
  ASSERT_EQ(times.all.size(), 1U);
  EXPECT_EQ(times.all.front().operation, Operation::gather);
  EXPECT_EQ(times.not_measurable, 1);
  ASSERT_EQ(times.left_out().size(), 1U);
  EXPECT_EQ(times.left_out().front().text().find("1 of 2 times is not measurable"), 0U);
}

/// Disturbances lengthen: what is above zero in each pass is measurable however it scatters.
TEST(OneWay, ScatterAboveIsNoReasonToLeaveATimeOut) {
  const OneWayTimes times =
      one_way_times(passes({2e-6, 2e-6, 2e-6, 2e-6}, {5e-6, 4e-3, 5.5e-6, 9e-3}), Which::all);
  ASSERT_EQ(times.all.size(), 1U);
  EXPECT_TRUE(times.left_out().empty());
}

TEST(OneWay, BelowZeroInMoreThanAQuarterOfThePassesIsNotMeasurable) {
  const auto left_out = [](const std::vector<double>& empty_s) {
    return one_way_times(passes(empty_s, std::vector<double>(empty_s.size(), 5e-6)), Which::all)
        .not_measurable;
  };
  EXPECT_EQ(left_out({2e-6, 8e-3, 2e-6, 2e-6}), 0);
  EXPECT_EQ(left_out({2e-6, 8e-3, 2e-6, 8e-3}), 1);
  EXPECT_EQ(left_out({2e-6, 8e-3, 2e-6}), 1);
}

TEST(OneWay, OfASinglePassTheRowsIntervalsTellWhatIsZero) {
  Measurements m = passes({2e-6}, {2e-6});
  EXPECT_EQ(one_way_times(m, Which::all).not_measurable, 0);
  // Half widths of 1 us: the difference of 1 us has a standard error of 0.57 us.
  for (Observation& one : m.observations) {
    one.low_s = one.time_s - 1e-6;
    one.high_s = one.time_s + 1e-6;
  }
  EXPECT_EQ(one_way_times(m, Which::all).not_measurable, 1);
}

TEST(OneWay, AMessageWithoutItsEmptyRoundTripIsSaid) {
  const OneWayTimes times = one_way_times(passes({}, {5e-6, 5e-6}), Which::all);
  EXPECT_TRUE(times.all.empty());
  EXPECT_EQ(times.without_empty, 1);
  EXPECT_NE(times.left_out().front().text().find("empty round trip"), std::string::npos);
}

TEST(OneWay, LaunchesAreTheRepeatsWhereThereAreSeveral) {
  Measurements m = passes({2e-6, 2e-6}, {5e-6, 5e-6});
  m.launches.push_back(samples::launch(2));
  m.launches.push_back(samples::launch(2));
  for (const int launch : {1, 2}) {
    for (const Bytes bytes : {Bytes{}, size}) {
      m.observations.push_back(row(round_trip(0, 1, bytes, {}), 0, bytes.value > 0 ? 6e-6 : 2e-6));
      m.observations.back().launch = launch;
    }
  }
  m.observations.push_back(row(flat_scatter(2, 0, size), 0, 7e-6));
  const OneWayTimes times = one_way_times(m, Which::all);
  ASSERT_EQ(times.all.size(), 2U);
  EXPECT_NEAR(times.all.front().time_s, 14e-6 / 3, 1e-18);
  EXPECT_NEAR(times.all.front().error_s, 1e-6 / 3, 1e-18);  // deviation 1 / sqrt(3), over sqrt(3)
  EXPECT_EQ(times.all.front().repeats_s.size(), 3U);
  EXPECT_DOUBLE_EQ(times.all.back().repeats_s[0], 7e-6);
  EXPECT_TRUE(std::isnan(times.all.back().repeats_s[1]));
}

TEST(OneWay, ChecksAreThoseThatNoFitSees) {
  Measurements m = passes({2e-6}, {5e-6});
  EXPECT_TRUE(one_way_times(m, Which::checks).all.empty());
  m.observations.back().experiment.check = true;
  EXPECT_EQ(one_way_times(m, Which::checks).all.size(), 1U);
}

}  // namespace commgauge::one_way_test
