#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "told.hpp"

namespace commgauge::record::communicators_test {

using testing::ElementsAre;
using testing::SizeIs;

TEST(Communicators, AreMadeByABarrierAndAMeeting) {
  EXPECT_THAT(
      told(recorded("communicators"), 0),
      ElementsAre("MPI_Comm_dup: own barrier; meet", "MPI_Comm_set_name",
                  "MPI_Comm_split: own barrier in copy; meet in copy",
                  "MPI_Allreduce: allreduce of 1 x 4 in 0", "MPI_Ibarrier: barrier in copy as #0",
                  "MPI_Wait: wait for #0", "MPI_Cart_create: own barrier; meet",
                  "MPI_Neighbor_allgather: neighbours from 1: 4 from 1: 4 to 1: 4 to 1: 4 "
                  "in 0,1",
                  "MPI_Comm_free", "MPI_Comm_free", "MPI_Comm_free", "MPI_Barrier: barrier",
                  "MPI_Finalize: own barrier"));
}

TEST(Communicators, OfADuplicateByARequestNobodyMeets) {
  const auto lines = told(recorded("made"), 1);
  ASSERT_GE(lines.size(), 5U);
  EXPECT_THAT(std::vector(lines.begin(), lines.begin() + 5),
              ElementsAre("MPI_Comm_idup: own barrier as #0", "MPI_Wait: wait for #0",
                          "MPI_Comm_set_name", "MPI_Barrier: barrier in copy",
                          "MPI_Comm_split: own barrier in copy; meet in copy"));
}

TEST(Communicators, OfAGroupAreMadeByItsMembersInTheGroupsOrder) {
  const auto& trace = recorded("made");
  EXPECT_THAT(told_of("MPI_Comm_create_group", trace, 0),
              ElementsAre("MPI_Comm_create_group: own barrier in 1,0; meet in 1,0"));
  // Rank 0 of it is rank 1 of the job.
  EXPECT_THAT(told_of("MPI_Send", trace, 0), ElementsAre("MPI_Send: send 4 to 1 tag 6 in 1,0"));
  EXPECT_THAT(told_of("MPI_Recv", trace, 1),
              ElementsAre("MPI_Recv: receive 4 from any tag 6 in 1,0, got 4 from 0 tag 6"));
}

TEST(Communicators, OnlyRanksThatGotOneUseIt) {
  EXPECT_THAT(told_of("MPI_Barrier", recorded("made"), 0),
              ElementsAre("MPI_Barrier: barrier in copy", "MPI_Barrier: barrier in MPI_COMM_SELF"));
  EXPECT_THAT(told_of("MPI_Barrier", recorded("made"), 1),
              ElementsAre("MPI_Barrier: barrier in copy", "MPI_Barrier: barrier in 1",
                          "MPI_Barrier: barrier in MPI_COMM_SELF"));
}

TEST(Communicators, BetweenGroupsAreAgreedOnByTheLeaders) {
  const auto lines = told(recorded("between-groups"), 1);
  ASSERT_GE(lines.size(), 4U);
  EXPECT_THAT(std::vector(lines.begin(), lines.begin() + 4),
              ElementsAre("MPI_Comm_split: own barrier; meet",
                          "MPI_Intercomm_create: own barrier in 1; "
                          "receive 2 from 0 tag 8 in 0,1 as #0, got 2 from 0 tag 8; "
                          "send 2 to 0 tag 8 in 0,1 as #1; wait for #0 #1; own bcast of 2 in 1; "
                          "meet in 0|1",
                          "MPI_Intercomm_merge: own barrier in 0,1; meet in 0,1",
                          "MPI_Bcast: bcast of 4 in 0,1"));
}

TEST(Communicators, OfASessionAreMadeOfItsGroup) {
  EXPECT_THAT(told_of("MPI_Comm_create_from_group", recorded("sessions"), 0),
              ElementsAre("MPI_Comm_create_from_group: own barrier in 0,1; meet in 0,1"));
}

}  // namespace commgauge::record::communicators_test
