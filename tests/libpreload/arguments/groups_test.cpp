#include "arguments/groups.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace commgauge::preload::groups_test {

/// 0, 1, ... of the job.
std::vector<int> all_ranks() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

TEST(JobCommunicators, TheyAreMpisOwnAfterInit) {
  EXPECT_EQ(job_communicators().world, MPI_COMM_WORLD);
  EXPECT_EQ(job_communicators().self, MPI_COMM_SELF);
}

TEST(RanksOfJob, TheWholeJobsAreInOrder) {
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  EXPECT_EQ(ranks_of_job(all), all_ranks());
  MPI_Group_free(&all);
}

TEST(RanksOfJob, TheyComeInTheGroupsOrder) {
  std::vector<int> ranks = all_ranks();
  std::ranges::reverse(ranks);
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group reversed = MPI_GROUP_NULL;
  MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &reversed);
  EXPECT_EQ(ranks_of_job(reversed), ranks);
  MPI_Group_free(&reversed);
  MPI_Group_free(&all);
}

TEST(RanksOfJob, AnEmptyGroupHasNone) { EXPECT_TRUE(ranks_of_job(MPI_GROUP_EMPTY).empty()); }

}  // namespace commgauge::preload::groups_test
