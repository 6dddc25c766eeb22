#include "thresholds/escalations/noise.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace commgauge::noise_test {

using ::testing::DoubleEq;
using ::testing::ElementsAre;

/// Sizes 1, 2, 3, ... with these repetitions [s].
Sweep sweep_of(const std::vector<std::vector<double>>& times) {
  Sweep sweep;
  for (std::size_t p = 0; p < times.size(); ++p) sweep.points.push_back({Bytes{p + 1}, times[p]});
  return sweep;
}

TEST(Noise, IsTheLargerOfTwo) {
  const Noise noise{2, 0.5};
  EXPECT_EQ(noise.at(1), 2);
  EXPECT_EQ(noise.at(10), 5);
}

/// 1.0, 1.1, ... 2.0, whose 90 % quantile is 1.9, times 1, 2, 4, 8, 16.
TEST(Noise, IsThreeTimesTheExcessOfTheQuietQuarter) {
  std::vector<std::vector<double>> times(5);
  for (std::size_t p = 0; p < times.size(); ++p) {
    for (int r = 0; r <= 10; ++r) times[p].push_back((1 + 0.1 * r) * (1 << p));
  }
  const Sweep sweep = sweep_of(times);
  EXPECT_THAT(shortest_times(sweep), ElementsAre(1, 2, 4, 8, 16));
  const Noise noise = noise_of(sweep, shortest_times(sweep));
  EXPECT_NEAR(noise.absolute_s, 3 * 0.9 * 2, 1e-12) << "the second of five";
  EXPECT_NEAR(noise.ratio, 3 * 0.9, 1e-12);
}

TEST(Noise, OfASizeIsThatOfItsShorterHalf) {
  EXPECT_EQ(own_noise({Bytes{1}, {1, 2, 4, 8, 900}}), 3 * (4 - 1));
}

TEST(UndisturbedTimes, AreTheShortest) {
  EXPECT_THAT(undisturbed_times(sweep_of({{1, 2}, {2, 9}, {30, 31}, {40, 40}})),
              ElementsAre(1, 2, 30, 40));
}

TEST(UndisturbedTimes, ALineStandsInWhereAllRepetitionsAreDisturbed) {
  EXPECT_THAT(undisturbed_times(sweep_of({{1, 1}, {100, 101}, {3, 3}, {4, 4}})),
              ElementsAre(1, DoubleEq(2), 3, 4));
  EXPECT_THAT(undisturbed_times(sweep_of({{100, 101}, {2, 2}, {3, 3}, {4, 4}})),
              ElementsAre(2, 2, 3, 4));
}

}  // namespace commgauge::noise_test
