#include "thresholds/observations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace commgauge::observations_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Sizes 1, 2, 3, ... with these repetitions [s].
Sweep sweep_of(const std::vector<std::vector<double>>& times) {
  Sweep sweep;
  for (std::size_t p = 0; p < times.size(); ++p) sweep.points.push_back({Bytes{p + 1}, times[p]});
  return sweep;
}

TEST(Observations, AreMedians) {
  const Observations seen = observe(sweep_of({{1, 2, 9}, {4, 5, 6}, {7}}), {}, Weights::none);
  EXPECT_THAT(seen.points, ElementsAre(0, 1, 2));
  EXPECT_THAT(seen.times, ElementsAre(Seconds{2}, Seconds{5}, Seconds{7}));
  EXPECT_THAT(seen.weights, IsEmpty());
}

/// From the second to the third size repetitions of twice the undisturbed time are left out.
TEST(Observations, LeaveEscalatedRepetitionsOut) {
  Escalations found;
  found.found = true;
  found.first = 1;
  found.last = 2;
  found.limit_ratio = 1;
  const Sweep sweep = sweep_of({{1, 9, 9}, {2, 9, 9}, {50, 50, 51}, {4, 4, 9}});
  const Observations seen = observe(sweep, found, Weights::none);
  EXPECT_THAT(seen.points, ElementsAre(0, 1, 3)) << "all of the third escalate";
  EXPECT_THAT(seen.times, ElementsAre(Seconds{9}, Seconds{2}, Seconds{4}));
}

TEST(Observations, WeighRelativelyWhereTimesDifferTenfold) {
  EXPECT_THAT(observe(sweep_of({{1}, {2}, {10}}), {}, Weights::automatic).weights, IsEmpty());
  EXPECT_THAT(observe(sweep_of({{1}, {2}, {20}}), {}, Weights::automatic).weights,
              ElementsAre(1, 0.25, 0.0025));
}

/// An interval of 95 % is 1.96 standard errors either way.
TEST(Observations, FloorsAreStandardErrors) {
  Sweep sweep = sweep_of({{1}, {1}, {1}, {1}});
  for (SweepPoint& point : sweep.points) {
    point.low_s = 1 - 0.196;
    point.high_s = 1 + 0.196;
  }
  sweep.points[3].low_s = 1 - 19.6;
  sweep.points[3].high_s = 1 + 19.6;
  const Observations seen = observe(sweep, {}, Weights::none);
  EXPECT_NEAR(seen.floors[0].value, 0.1, 1e-5);
  EXPECT_NEAR(seen.floors[3].value, 0.3, 1e-5) << "three times the median";
  EXPECT_EQ(observe(sweep_of({{1}, {5, 5}}), {}, Weights::none).floors[1], Seconds{5e-9});
}

TEST(Observations, PartsAndLines) {
  const Observations seen = observe(sweep_of({{3}, {5}, {7}, {9}, {100}}), {}, Weights::relative);
  const Observations part = seen.between(1, 3);
  EXPECT_THAT(part.points, ElementsAre(1, 2, 3));
  EXPECT_EQ(part.weights.size(), 3U);
  const Segment line = line_through(part, 0.95);
  EXPECT_NEAR(line.intercept.value, 1, 1e-12);
  EXPECT_NEAR(line.slope.value, 2, 1e-12);
}

}  // namespace commgauge::observations_test
