#include "campaign/sizes/size_advice.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "threshold_sweeps.hpp"

namespace commgauge::bench::size_advice_test {

TEST(AdviseSizes, WithoutSweepsThereIsNoAdvice) {
  const Communicator comm(MPI_COMM_WORLD);
  const SizeAdvice advice = advise_sizes(comm, {}, Bytes{4096}, 0.95);
  EXPECT_EQ(advice.scatter_break, std::nullopt);
  EXPECT_EQ(advice.escalate_above, std::nullopt);
  EXPECT_EQ(advice.regular_from, std::nullopt);
}

/// What leaps after 48 KiB matters to one-to-two experiments of 1 MiB, and not to those of 1 KiB.
TEST(AdviseSizes, EveryRankHasThatOfRank0sSweeps) {
  const Communicator comm(MPI_COMM_WORLD);
  std::vector<Sweep> sweeps;
  if (comm.rank() == 0) sweeps = {commgauge::testing::scatter_sweep()};
  const SizeAdvice small = advise_sizes(comm, sweeps, Bytes{512}, 0.95);
  EXPECT_EQ(small.scatter_break, std::nullopt);
  const SizeAdvice large = advise_sizes(comm, sweeps, Bytes{1 << 20}, 0.95);
  ASSERT_TRUE(large.scatter_break);
  EXPECT_GE(*large.scatter_break, Bytes{32768});
  EXPECT_LE(*large.scatter_break, Bytes{65536});
}

}  // namespace commgauge::bench::size_advice_test
