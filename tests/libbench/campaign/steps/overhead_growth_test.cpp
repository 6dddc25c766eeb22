#include "campaign/steps/overhead_growth.hpp"

#include <gtest/gtest.h>

#include <map>

#include "commgauge/plan/logp_plan.hpp"
#include "made_harness.hpp"

namespace commgauge::bench::overhead_growth_test {

TEST(OverheadGrowth, IsMeasuredAtEachStepInEachPass) {
  Harness harness(MPI_COMM_WORLD, quick_options());
  const std::vector<Observation> rows = measure_overhead_growth(harness);
  const std::vector<int> steps = growth_steps(harness.comm.size());
  std::map<Experiment, int> expected;
  for (const int processes : steps) {
    for (const Experiment& one : growth_experiments(processes, false)) {
      if (one.root == harness.comm.rank() && steps.size() > 1) expected[one] = 3;
    }
  }
  std::map<Experiment, int> found;
  for (const Observation& row : rows) {
    ++found[row.experiment];
    EXPECT_GT(row.experiment.processes, 0);
  }
  EXPECT_EQ(found, expected);
  if (harness.comm.rank() == 0) {
    EXPECT_EQ(rows.empty(), harness.comm.size() < 3);
  }
}

}  // namespace commgauge::bench::overhead_growth_test
