#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "told.hpp"

namespace commgauge::record::epochs_test {

using testing::ElementsAre;
using testing::SizeIs;

TEST(Epochs, OfAFenceEndWithABarrierOfTheWindow) {
  EXPECT_THAT(told_of("MPI_Win_fence", recorded("accesses"), 0),
              ElementsAre("MPI_Win_fence: own barrier in window 0,1",
                          "MPI_Win_fence: wait for #0; own barrier in window 0,1"));
  EXPECT_THAT(told_of("MPI_Win_fence", recorded("accesses"), 1),
              ElementsAre("MPI_Win_fence: own barrier in window 0,1",
                          "MPI_Win_fence: own barrier in window 0,1"));
}

TEST(Epochs, StartWhenTheTargetHasPosted) {
  const auto lines = told(recorded("epochs"), 0);
  ASSERT_THAT(lines, SizeIs(24));
  EXPECT_THAT(std::vector(lines.begin() + 1, lines.begin() + 4),
              ElementsAre("MPI_Win_start: receive 0 from 1 tag 1 in window 0,1 as #0, "
                          "got 0 from 1 tag 1; wait for #0",
                          "MPI_Put: access 4 to 1 in window 0,1 as #0",
                          "MPI_Win_complete: wait for #0; "
                          "buffered send 0 to 1 tag 2 in window 0,1"));
}

TEST(Epochs, ArePostedUntilTheOriginHasCompleted) {
  const auto lines = told(recorded("epochs"), 1);
  ASSERT_THAT(lines, SizeIs(9));
  EXPECT_THAT(std::vector(lines.begin() + 1, lines.begin() + 3),
              ElementsAre("MPI_Win_post: receive 0 from 0 tag 2 in window 0,1 as #0, "
                          "got 0 from 0 tag 2; buffered send 0 to 0 tag 1 in window 0,1",
                          "MPI_Win_wait: wait for #0"));
}

TEST(Epochs, ThatNeedNoPostAskForNone) {
  EXPECT_EQ(told_of("MPI_Win_start", recorded("epochs"), 0).at(1), "MPI_Win_start");
  EXPECT_EQ(told_of("MPI_Win_complete", recorded("epochs"), 0).at(1),
            "MPI_Win_complete: buffered send 0 to 1 tag 2 in window 0,1");
  EXPECT_EQ(told_of("MPI_Win_post", recorded("epochs"), 1).at(1),
            "MPI_Win_post: receive 0 from 0 tag 2 in window 0,1 as #0, got 0 from 0 tag 2");
  EXPECT_THAT(told_of("MPI_Win_test", recorded("epochs"), 1),
              ElementsAre("MPI_Win_test: poll for #0"));
}

TEST(Epochs, OfALockAreAskedForAndGivenBack) {
  const auto lines = told(recorded("epochs"), 0);
  ASSERT_THAT(lines, SizeIs(24));
  EXPECT_THAT(std::vector(lines.begin() + 8, lines.begin() + 17),
              ElementsAre("MPI_Win_lock: shared lock at 1 in window 0,1 as #0; flush #0",
                          "MPI_Put: access 4 to 1 in window 0,1 as #0",
                          "MPI_Get: access 0 to 1 in window 0,1 as #1, 4 back",
                          "MPI_Win_flush_local: wait for #1",  // what is sent is taken already
                          "MPI_Win_flush: flush #0", "MPI_Win_flush: in vain",
                          "MPI_Win_unlock: in vain; unlock at 1 in window 0,1 as #0; flush #0",
                          "MPI_Win_lock", "MPI_Win_unlock: in vain"));
}

TEST(Epochs, OfALockOfAllAskEachRank) {
  const auto lines = told(recorded("epochs"), 0);
  ASSERT_THAT(lines, SizeIs(24));
  EXPECT_THAT(std::vector(lines.begin() + 17, lines.begin() + 22),
              ElementsAre("MPI_Win_lock_all: shared lock at 0 in window 0,1 as #0; "
                          "shared lock at 1 in window 0,1 as #1; flush #0 #1",
                          "MPI_Get: access 0 to 1 in window 0,1 as #1, 4 back",
                          "MPI_Win_flush_all: flush #1", "MPI_Win_sync: in vain",
                          "MPI_Win_unlock_all: in vain; unlock at 0 in window 0,1 as #1; "
                          "unlock at 1 in window 0,1 as #0; flush #1 #0"));
}

}  // namespace commgauge::record::epochs_test
