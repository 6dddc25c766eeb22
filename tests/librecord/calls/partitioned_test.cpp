#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "told.hpp"

namespace commgauge::record::partitioned_test {

using testing::ElementsAre;

TEST(Partitioned, ASendTellsWhichPartitionsAreReady) {
  EXPECT_THAT(
      told(recorded("partitions"), 0),
      ElementsAre("MPI_Psend_init: prepare send of 6 x 8 to 1 tag 4 as #0", "MPI_Start: start #0",
                  "MPI_Pready: ready #0 from 5 on 1", "MPI_Pready_range: ready #0 from 0 on 2",
                  "MPI_Pready_list: ready #0 from 3 on 2; ready #0 from 2 on 1",
                  "MPI_Wait: wait for #0", "MPI_Request_free: free #0",
                  "MPI_Finalize: own barrier"));
}

TEST(Partitioned, AReceiveTellsWhichPartitionHasCome) {
  EXPECT_THAT(
      told(recorded("partitions"), 1),
      ElementsAre("MPI_Precv_init: prepare receive of 2 x 24 from 0 tag 4 as #0",
                  "MPI_Start: start #0", "MPI_Parrived: arrived #0 1", "MPI_Wait: wait for #0",
                  "MPI_Request_free: free #0", "MPI_Finalize: own barrier"));
}

}  // namespace commgauge::record::partitioned_test
