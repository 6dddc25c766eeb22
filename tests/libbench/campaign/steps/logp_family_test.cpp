#include "campaign/steps/logp_family.hpp"

#include <gtest/gtest.h>

#include <bit>

#include "made_harness.hpp"

namespace commgauge::bench::logp_family_test {

TEST(PlanLogpFamily, IsTheSameOnEveryRank) {
  Options options = quick_options();
  options.receive_progress = true;
  Harness harness(MPI_COMM_WORLD, options);
  TimedSizes timed{{Bytes{64}, Bytes{1024}, Bytes{4096}}, {}};
  // The last takes longer than many messages may.
  if (harness.comm.rank() == 0) timed.times = {{1e-6}, {2e-6}, {1}};
  const LogPPlan plan = plan_logp_family(harness, Bytes{1000}, timed);
  EXPECT_EQ(plan.round_trips, timed.sizes);
  EXPECT_EQ(plan.floods, plan_logp(timed.sizes, Bytes{1000}, Bytes{1024}).floods);
  EXPECT_EQ(plan.overheads, plan_logp(timed.sizes, Bytes{1000}, Bytes{1024}).overheads);
  EXPECT_NE(plan.floods, plan_logp(timed.sizes, Bytes{1000}, Bytes{4096}).floods);
  EXPECT_TRUE(plan.progress);
  EXPECT_GE(plan.flood_messages, 16);
  EXPECT_LE(plan.flood_messages, 128);
  EXPECT_TRUE(std::has_single_bit(static_cast<unsigned>(plan.flood_messages))) << "it is doubled";
  int most = plan.flood_messages;
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  EXPECT_EQ(plan.flood_messages, most);
  if (harness.comm.rank() == 0) {
    EXPECT_GT(plan.delay.value, 0);
  }
}

}  // namespace commgauge::bench::logp_family_test
