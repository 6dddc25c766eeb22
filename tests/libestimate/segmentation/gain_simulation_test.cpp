#include "segmentation/gain_simulation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace commgauge::gain_simulation_test {

using ::testing::DoubleNear;
using ::testing::Each;

/// Points 0, 1, 2, ... of weight 1.
std::vector<SizePoint> points_with(const std::vector<double>& times) {
  std::vector<SizePoint> points;
  for (const double y : times) points.push_back({static_cast<double>(points.size()), y, 1, 0});
  return points;
}

/// A step after the fourth of eight points.
const std::vector<double> step{0, 0, 0, 0, 1, 1, 1, 1};

/// With the break after the third, 0, 1, 1, 1, 1 is one line: its residual sum of squares is
/// 0.8 - 2^2 / 10.
TEST(GainSimulation, ObservesWhatTheBestPositionGains) {
  EXPECT_NEAR(GainSimulation(points_with(step), 3, 2).observed(), 0.4, 1e-12);
  EXPECT_NEAR(GainSimulation(points_with(step), 3, 3).observed(), 0, 1e-12);
  EXPECT_NEAR(GainSimulation(points_with(step), 3, 4).observed(), 0.4, 1e-12) << "by symmetry";
}

std::vector<BlockTimes> normals(std::size_t blocks, std::uint64_t seed) {
  std::mt19937_64 random{seed};
  std::normal_distribution<double> normal;
  std::vector<BlockTimes> result(blocks);
  for (BlockTimes& block : result) {
    for (double& y : block.y) y = normal(random);
    for (double& slope : block.slope) slope = normal(random);
  }
  return result;
}

/// On one line through all points only residuals make gains, in proportion to their squares.
TEST(GainSimulation, ScalesWithTheSumOfSquares) {
  const GainSimulation simulation(points_with({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}), 3, 4);
  auto once = normals(simulation.blocks(), 1);
  auto fourfold = once;
  const Gains one = simulation.simulated(once, {}, 1);
  const Gains four = simulation.simulated(fourfold, {}, 4);
  for (std::size_t l = 0; l < lanes; ++l) {
    EXPECT_GE(one.moved[l], 0);
    EXPECT_LE(one.moved[l], 1);
    EXPECT_NEAR(four.moved[l], 4 * one.moved[l], 1e-9);
    EXPECT_NEAR(four.split[l], 4 * one.split[l], 1e-9);
    EXPECT_GT(one.split[l], 0);
  }
}

/// Where the step is much larger than the residuals no other position gains anything.
TEST(GainSimulation, NothingGainsOverAClearStep) {
  const GainSimulation simulation(points_with(step), 3, 3);
  auto times = normals(simulation.blocks(), 2);
  EXPECT_THAT(simulation.simulated(times, {}, 1e-6).moved, Each(DoubleNear(0, 1e-15)));
}

/// What other dimensions take of the sum of squares is missing here.
TEST(GainSimulation, SharesTheSumOfSquaresWithOtherDimensions) {
  const GainSimulation simulation(points_with({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}), 3, 4);
  auto alone = normals(simulation.blocks(), 3);
  auto shared = alone;
  Lanes elsewhere;
  elsewhere.fill(1e6);
  const Gains all = simulation.simulated(alone, {}, 1);
  const Gains part = simulation.simulated(shared, elsewhere, 1);
  for (std::size_t l = 0; l < lanes; ++l) EXPECT_LE(part.split[l], 1e-4 * all.split[l]);
}

}  // namespace commgauge::gain_simulation_test
