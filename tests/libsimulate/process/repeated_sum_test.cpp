#include "process/repeated_sum.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace commgauge::simulate::repeated_sum_test {

double one_by_one(double sum, double step, std::uint64_t times) {
  for (; times > 0; --times) sum += step;
  return sum;
}

TEST(RepeatedSum, IsTheLoopsToTheBit) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> exponent{-40, 12};
  for (int trial = 0; trial < 3000; ++trial) {
    const double from = trial % 7 == 0 ? 0 : std::exp2(exponent(random));
    const double step = trial % 2 == 0 ? 100e-9 : std::exp2(exponent(random));
    const std::uint64_t times = random() % 20000;
    double sum = from;
    add_repeatedly(sum, step, times);
    EXPECT_EQ(sum, one_by_one(from, step, times)) << from << " + " << times << " * " << step;
  }
}

TEST(RepeatedSum, WhatIsRoundedToEvenToo) {
  const double ulp = std::ldexp(1.0, -52);
  for (const double from : {1.0, 1.0 + ulp, 1.0 + 2 * ulp, 1.0 + 3 * ulp}) {
    for (const double step : {0.5 * ulp, 1.5 * ulp, 2.5 * ulp, 3.5 * ulp}) {
      double sum = from;
      add_repeatedly(sum, step, 1001);
      EXPECT_EQ(sum, one_by_one(from, step, 1001)) << from << " + " << step;
    }
  }
}

TEST(RepeatedSum, TakesNoTimeForMany) {
  double sum = 1;
  add_repeatedly(sum, 100e-9, 1'000'000'000'000'000);
  EXPECT_NEAR(sum, 1e8, 1e7) << "each is rounded";
  sum = 1;
  add_repeatedly(sum, 1e-300, 1'000'000'000'000'000);
  EXPECT_EQ(sum, 1) << "steps too small to be seen";
}

}  // namespace commgauge::simulate::repeated_sum_test
