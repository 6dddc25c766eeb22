#include "fit/estimators.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "by_hand.hpp"

namespace commgauge::estimators_test {

TEST(Estimators, AResidualNeedsSomethingToSpare) {
  EXPECT_EQ(residual_of(8, 4, 2), 2);
  EXPECT_TRUE(std::isnan(residual_of(8, 2, 2)));
}

TEST(Estimators, ReplicatesAreMovedApartUntilTheirIntervalIsWideEnough) {
  for (const ReplicateKind kind : {ReplicateKind::passes, ReplicateKind::draws}) {
    const SpreadRule rule(kind, 4, 0.95);
    const std::vector<double> moved = apart({9.0, 10.0, 10.5, 11.0}, 10, 3, rule);
    EXPECT_NEAR(rule(moved).mean_half_width, 3, 1e-12);
    EXPECT_GT(moved[3], 10) << "on its own side";
    EXPECT_EQ(apart(std::vector(4, 10.0), 10, 0, rule), std::vector(4, 10.0));
  }
}

TEST(Estimators, RoundTripsAreMeansOfBothDirections) {
  Experiment check = round_trip(0, 1, Bytes{8}, {});
  check.check = true;
  const TimeTable table(by_hand::measurements(3, {{round_trip(0, 1, Bytes{8}, {}), 2},
                                                  {round_trip(1, 0, Bytes{8}, {}), 4},
                                                  {round_trip(2, 0, Bytes{8}, {}), 7},
                                                  {round_trip(0, 1, Bytes{9}, {}), 100},
                                                  {check, 1000}}),
                        0.95);
  const Matrix times = round_trips(table, Bytes{8}, table.times());
  EXPECT_EQ(times(0, 1), 3);
  EXPECT_EQ(times(1, 0), 3);
  EXPECT_EQ(times(0, 2), 7);
  EXPECT_TRUE(std::isnan(times(1, 2)));
  const auto sweeps = pair_sweeps(table, [](Bytes) { return true; });
  EXPECT_EQ(sweeps[1].sizes, (std::vector{8.0, 9.0})) << "from 0 to 1";
  EXPECT_EQ(sweeps[6].sizes, std::vector{8.0}) << "from 2 to 0";
  EXPECT_TRUE(sweeps[2].sizes.empty());
}

TEST(Estimators, TheSizeOfOneToTwosIsTheLargest) {
  const auto size_of = [](const std::vector<by_hand::Timed>& times) {
    return one_to_two_size(TimeTable(by_hand::measurements(3, times), 0.95));
  };
  EXPECT_EQ(size_of({{one_to_two(0, 1, 2, Bytes{0}), 1}}), std::nullopt);
  EXPECT_EQ(size_of({{one_to_two(0, 1, 2, Bytes{64}), 1}, {one_to_two(0, 1, 2, Bytes{8}), 1}}),
            Bytes{64});
}

TEST(Estimators, WhatIsMissingIsCounted) {
  EXPECT_EQ(missing_pairs(2, 6).count, 4);
  EXPECT_EQ(missing_pairs(2, 6).text(), "4 of 6 pairs were not measured");
  EXPECT_EQ(launches_left_out(2).count, 2);
}

}  // namespace commgauge::estimators_test
