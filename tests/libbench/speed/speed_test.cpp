#include "commgauge/bench/speed/speed.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace commgauge::bench::speed_test {

TEST(Speed, TellsPositiveTimesOfEachKernel) {
  const ProcessorSpeed speed = measure_speed();
  ASSERT_EQ(speed.kernels.size(), 3U);
  EXPECT_GE(speed.lost_share, 0);
  EXPECT_LT(speed.lost_share, 1);
  for (const KernelTimes& kernel : speed.kernels) {
    EXPECT_GE(kernel.times_s.size(), least_kernel_runs);
    EXPECT_GT(*std::ranges::min_element(kernel.times_s), 2e-5) << kernel.name;
  }
}

TEST(Speed, APieceOfWorkHasARatioOfOneToItself) {
  const ProcessorSpeed speed = measure_speed();
  const SpeedRatio ratio = speed_ratio(speed, speed);
  EXPECT_DOUBLE_EQ(ratio.ratio.value, 1);
  EXPECT_LE(ratio.ratio.low, 1);
  EXPECT_GE(ratio.ratio.high, 1);
}

}  // namespace commgauge::bench::speed_test
