#include "explain/words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace commgauge::replay::words_test {

using simulate::Why;
using testing::HasSubstr;
using testing::StartsWith;

Wait wait_of(Why why, double late) {
  return {.why = why, .rank = 3, .partner = 0, .waited = 1, .late = late};
}

TEST(Words, OfAWaitSayWhereAndForWhom) {
  const Whereabouts where{3, "solve", "MPI_Recv", "exchange (grid.c:7)"};
  EXPECT_EQ(title_of(wait_of(Why::waiting, 0), where, 0.5),
            "Rank 3 waits at MPI_Recv (exchange (grid.c:7)) in region \"solve\" for a message of "
            "rank 0, until 500 ms");
  EXPECT_THAT(title_of(wait_of(Why::waiting_to_send, 0), where, 0.5),
              HasSubstr("for rank 0 to receive its message"));
  EXPECT_THAT(title_of(wait_of(Why::meeting, 0), {3, whole_program, "", ""}, 0.5),
              StartsWith("Rank 3 waits for the other ranks"));
  EXPECT_THAT(title_of(wait_of(Why::waiting, 0), {3, whole_program, "MPI_Win_lock", ""}, 0.5),
              HasSubstr("for a lock of rank 0's"));
}

TEST(Words, OfAdviceDependOnWhoIsLate) {
  const Whereabouts where{3, "solve", "MPI_Recv", ""};
  EXPECT_THAT(advice_for(wait_of(Why::waiting, 0.9), where), StartsWith("rank 0 sends late"));
  EXPECT_THAT(advice_for(wait_of(Why::waiting, 0.1), where), HasSubstr("long under way"));
  Wait asleep = wait_of(Why::waiting, 0.9);
  asleep.asleep = 0.8;
  EXPECT_THAT(advice_for(asleep, where), StartsWith("rank 0 sleeps before it sends"));
  EXPECT_THAT(advice_for(wait_of(Why::waiting, 0.9), {3, "", "MPI_Barrier", ""}),
              HasSubstr("whether this barrier is needed"));
  EXPECT_THAT(advice_for(wait_of(Why::thread, 0.9), {3, "", "pthread_join", ""}),
              HasSubstr("the threads of a rank"));
}

TEST(Words, OfGroupsNameTheOneThatKeepsThemWaiting) {
  const WaitSums sums{.waited = 5, .late = 4, .partner = 2, .waiting = 7};
  EXPECT_THAT(advice_for(Answer::Kind::call_site, {every_rank, "", "MPI_Recv", ""}, sums),
              StartsWith("rank 2 keeps 7 ranks waiting"));
  EXPECT_THAT(advice_for(Answer::Kind::all_waits, {}, sums), StartsWith("nothing to do"));
  EXPECT_EQ(title_of(Answer::Kind::rank, {4, "", "", ""}), "All waits of rank 4");
  EXPECT_EQ(title_of(Answer::Kind::region, {every_rank, "solve", "", ""}),
            "All waits in region \"solve\"");
}

TEST(Words, OfUnevenComputingNameTheSlowest) {
  Balance balance{.region = "solve", .computing = 8, .slowest = 5};
  EXPECT_EQ(title_of(balance), "The computing of region \"solve\", divided evenly");
  EXPECT_EQ(advice_for(balance),
            "divide what region \"solve\" computes evenly: rank 5 has most of it");
  balance.sleeping = 7;
  EXPECT_THAT(advice_for(balance), HasSubstr("sleeps evenly"));
}

TEST(Words, OfADominoPathNameItsEnds) {
  DominoPath path;
  path.rank = 4;
  path.steps.resize(2);
  path.steps.back().partner = 1;
  EXPECT_EQ(title_of(path), "The 2 waits of the domino path that ends at rank 4");
  EXPECT_THAT(advice_for(path), HasSubstr("rank 1 is where it begins"));
}

}  // namespace commgauge::replay::words_test
