#include "campaign/steps/sweeps.hpp"

#include <gtest/gtest.h>

namespace commgauge::bench::sweeps_test {

TEST(CalibrationSweep, TakesFewerSizesAndRepetitions) {
  const SweepOptions sweep = calibration_sweep({});
  EXPECT_EQ(sweep.reps, 7);
  EXPECT_EQ(sweep.plan.most_sizes, 24);
}

TEST(CalibrationSweep, TakesNoMoreThanIsAskedFor) {
  Options options;
  options.sweeps.reps = 3;
  options.sweeps.plan.most_sizes = 10;
  const SweepOptions sweep = calibration_sweep(options);
  EXPECT_EQ(sweep.reps, 3);
  EXPECT_EQ(sweep.plan.most_sizes, 10);
}

TEST(CalibrationSweep, EndsAtTheLargestMessageOfTheExperiments) {
  Options options;
  options.sizes = {Bytes{256}, Bytes{4096}};
  EXPECT_EQ(calibration_sweep(options).plan.last, Bytes{4096});
  options.sweeps.plan.first = Bytes{8192};
  EXPECT_EQ(calibration_sweep(options).plan.first, Bytes{2048}) << "an octave is left";
}

}  // namespace commgauge::bench::sweeps_test
