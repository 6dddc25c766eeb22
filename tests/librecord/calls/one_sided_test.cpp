#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "told.hpp"

namespace commgauge::record::one_sided_test {

using testing::ElementsAre;
using testing::SizeIs;

TEST(OneSided, AccessesTellWhatGoesThereAndWhatComesBack) {
  const auto lines = told(recorded("accesses"), 0);
  ASSERT_THAT(lines, SizeIs(19));
  EXPECT_THAT(std::vector(lines.begin() + 5, lines.begin() + 11),
              ElementsAre("MPI_Put: access 8 to 1 in window 0,1 as #0",
                          "MPI_Accumulate: access 4 to 1 in window 0,1 as #1",
                          "MPI_Get_accumulate: access 8 to 1 in window 0,1 as #2, 8 back",
                          "MPI_Get_accumulate: access 0 to 1 in window 0,1 as #3, 8 back",
                          "MPI_Fetch_and_op: access 4 to 1 in window 0,1 as #4, 4 back",
                          "MPI_Compare_and_swap: access 8 to 1 in window 0,1 as #5, 4 back"));
}

TEST(OneSided, AnAccessOfNobodyIsACallAlone) {
  EXPECT_EQ(told_of("MPI_Put", recorded("accesses"), 0).at(2), "MPI_Put");
}

/// Of what is sent the data are taken at once: the program waits for nothing.
TEST(OneSided, ByARequestTheProgramWaitsForWhatComesBack) {
  const auto lines = told(recorded("accesses"), 0);
  ASSERT_THAT(lines, SizeIs(19));
  EXPECT_THAT(
      std::vector(lines.begin() + 12, lines.begin() + 17),
      ElementsAre("MPI_Rput: access 4 to 1 in window 0,1 as #6", "MPI_Wait",
                  "MPI_Rget: access 0 to 1 in window 0,1 as #7, 4 back", "MPI_Wait: wait for #7",
                  "MPI_Win_unlock_all: flush #0 #1 #2 #3 #4 #5 #6"));
}

}  // namespace commgauge::record::one_sided_test
