#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "told.hpp"

namespace commgauge::record::collectives_test {

using testing::ElementsAre;
using testing::SizeIs;

TEST(Collectives, AreRecordedWithWhatTheyMove) {
  const auto lines = told(recorded("collectives"), 0);
  ASSERT_THAT(lines, SizeIs(15));
  EXPECT_THAT(std::vector(lines.begin(), lines.begin() + 5),
              ElementsAre("MPI_Bcast: bcast of 12 root 1", "MPI_Allreduce: allreduce of 2 x 4",
                          "MPI_Alltoall: alltoall of 8", "MPI_Gatherv: gatherv of 4 12",
                          "MPI_Reduce_scatter: reduce_scatter of 1 3 x 4"));
}

TEST(Collectives, OnlyTheRootKnowsAllPartsOfAGatherv) {
  EXPECT_THAT(told_of("MPI_Gatherv", recorded("collectives"), 1),
              ElementsAre("MPI_Gatherv: gatherv of 12"));
}

TEST(Collectives, ByARequestAreAwaited) {
  const auto lines = told(recorded("collectives"), 1);
  ASSERT_THAT(lines, SizeIs(15));
  EXPECT_THAT(std::vector(lines.begin() + 5, lines.begin() + 7),
              ElementsAre("MPI_Iallgather: allgather of 4 as #0", "MPI_Wait: wait for #0"));
}

TEST(Collectives, ThatArePreparedAreRecordedWhenTheyAreStarted) {
  const auto lines = told(recorded("collectives"), 0);
  ASSERT_THAT(lines, SizeIs(15));
  EXPECT_THAT(
      std::vector(lines.begin() + 7, lines.begin() + 13),
      ElementsAre("MPI_Scan_init", "MPI_Start: scan of 1 x 4 as #0", "MPI_Wait: wait for #0",
                  "MPI_Start: scan of 1 x 4 as #0", "MPI_Wait: wait for #0", "MPI_Request_free"));
}

TEST(Collectives, WithLargeCountsAreTheSame) {
  EXPECT_THAT(told_of("MPI_Reduce_c", recorded("collectives"), 0),
              ElementsAre("MPI_Reduce_c: reduce of 2 x 4"));
}

TEST(Collectives, OfAnOperatorOfMpiAreBuiltInAndMayBeInAnyOrder) {
  const auto& all = recorded("collectives").ranks.at(0).collectives;
  ASSERT_FALSE(all.empty());
  for (const trace::Collective& one : all) {
    EXPECT_TRUE(one.what.is_built_in);
    EXPECT_TRUE(one.what.is_commutative);
    EXPECT_EQ(one.what.ranks, 2);
  }
}

TEST(Collectives, OfNeighboursAreTheirMessages) {
  EXPECT_THAT(told_of("MPI_Neighbor_allgather", recorded("neighbours"), 0),
              ElementsAre("MPI_Neighbor_allgather: neighbours from 1: 4 to 1: 4 in 0,1"));
  EXPECT_THAT(
      told_of("MPI_Neighbor_alltoallv", recorded("neighbours"), 1),
      ElementsAre("MPI_Neighbor_alltoallv: neighbours from 0: 8 from 1: 4 to 0: 8 to 1: 4 in 0,1"));
}

/// In a ring of two both neighbours are one rank: its messages are told apart by direction.
TEST(Collectives, DirectionsOfAGridHaveTagsOfTheirOwn) {
  const trace::Rank& rank = recorded("communicators").ranks.at(0);
  const auto found = std::ranges::find_if(rank.collectives, &trace::Collective::is_neighbourhood);
  ASSERT_NE(found, rank.collectives.end());
  ASSERT_THAT(found->from, SizeIs(2));
  ASSERT_THAT(found->to, SizeIs(2));
  EXPECT_NE(found->from[0].tag, found->from[1].tag);
  EXPECT_EQ(found->from[0].tag, found->to[1].tag);
  EXPECT_EQ(found->from[1].tag, found->to[0].tag);
}

}  // namespace commgauge::record::collectives_test
