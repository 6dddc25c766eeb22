#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "told.hpp"

namespace commgauge::record::windows_test {

using testing::ElementsAre;

TEST(Windows, AreMadeByTheirCommunicatorAndFreedByTheWindow) {
  EXPECT_THAT(told(recorded("windows"), 1),
              ElementsAre("MPI_Win_allocate: own barrier; meet",
                          "MPI_Win_free: own barrier in window 0,1; meet in window 0,1",
                          "MPI_Win_allocate_shared: own barrier; meet",
                          "MPI_Win_free: own barrier in window 0,1; meet in window 0,1",
                          "MPI_Win_create_dynamic: own barrier; meet",
                          "MPI_Win_free: own barrier in window 0,1; meet in window 0,1",
                          "MPI_Win_create: own barrier in MPI_COMM_SELF; meet in MPI_COMM_SELF",
                          "MPI_Win_free: own barrier in window 1; meet in window 1",
                          "MPI_Finalize: own barrier"));
}

TEST(Windows, HaveContextsOfTheirOwn) {
  // Three of both ranks, and one of each alone.
  EXPECT_EQ(
      std::ranges::count_if(recorded("windows").communicators, &trace::Communicator::is_window), 5);
}

}  // namespace commgauge::record::windows_test
