#include "commgauge/base/outliers.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace commgauge::outliers_test {

using Answers = std::vector<bool>;

TEST(DeletedLimit, IsTheStudentQuantileOfOneAgainstTheMeanOfTheOthers) {
  // R: qt(1 - 0.002/2, 6) * sqrt(8/7), qt(1 - 0.0125/2, 3) * sqrt(5/4)
  EXPECT_NEAR(deleted_limit(8, 0.002), 5.568, 1e-3);
  EXPECT_NEAR(deleted_limit(5, 0.0125), 6.029, 1e-3);
  EXPECT_TRUE(std::isinf(deleted_limit(2, 0.002)));
}

TEST(StandOut, ALostTimeSliceDoes) {
  const std::vector<double> times{0.86e-6, 0.88e-6, 8e-3,    0.87e-6,
                                  0.86e-6, 0.9e-6,  0.85e-6, 0.87e-6};
  EXPECT_EQ(stand_out(times), (Answers{false, false, true, false, false, false, false, false}));
}

TEST(StandOut, TwoOfEightDoThoughTheyHideEachOtherFromTheMean) {
  const std::vector<double> times{1.00, 1.02, 0.99, 9.0, 1.01, 8.0, 0.98, 1.01};
  EXPECT_EQ(stand_out(times), (Answers{false, false, false, true, false, true, false, false}));
}

TEST(StandOut, AHalfMoreDoesAmongQuietOnesOnly) {
  EXPECT_EQ(stand_out(std::vector{1.00, 1.01, 0.99, 1.00, 1.02, 0.98, 1.01, 1.5})[7], true);
  EXPECT_EQ(stand_out(std::vector{1.0, 1.3, 0.8, 1.1, 1.2, 0.7, 0.9, 1.5})[7], false);
}

TEST(StandOut, ValuesThatAgreeByChanceMakeNoOtherDoSo) {
  const std::vector<double> times{1.0, 1.0, 1.001};
  EXPECT_TRUE(stand_out(times)[2]);
  EXPECT_FALSE(stand_out(times, std::vector{0.001, 0.001, 0.001})[2]);
  EXPECT_TRUE(stand_out(std::vector{1.0, 1.0, 1.1}, std::vector{0.001, 0.001, 0.001})[2]);
}

TEST(StandOut, RoundingAndTooFewDoNot) {
  EXPECT_EQ(stand_out(std::vector{1.0, 1.0, 1.0, 1.0 + 1e-8}), Answers(4, false));
  EXPECT_EQ(stand_out(std::vector{1.0, 50.0}), Answers(2, false));
  EXPECT_EQ(stand_out(std::vector<double>{}), Answers{});
  EXPECT_EQ(stand_out(std::vector{0.0, 0.0, 0.0}), Answers(3, false));
}

TEST(StandOut, OfNormalValuesOneTimeInFiveHundred) {
  std::mt19937_64 random(14);
  std::normal_distribution<double> normal(100, 1);
  for (const std::size_t count : {5, 8, 16}) {
    int found = 0;
    constexpr int trials = 4000;
    for (int trial = 0; trial < trials; ++trial) {
      std::vector<double> times(count);
      for (double& time : times) time = normal(random);
      for (const bool answer : stand_out(times)) found += answer ? 1 : 0;
    }
    const double share = found / (trials * static_cast<double>(count));
    EXPECT_LT(share, 0.004) << count;
    EXPECT_GT(share, 0.001) << count;
  }
}

}  // namespace commgauge::outliers_test
