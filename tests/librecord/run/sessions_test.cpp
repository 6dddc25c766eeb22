#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "told.hpp"

namespace commgauge::record::sessions_test {

using testing::ElementsAre;

TEST(Sessions, AreRecordedFromTheFirstToTheEndOfTheLast) {
  for (const std::size_t rank : {0U, 1U}) {
    EXPECT_THAT(told(recorded("sessions"), rank),
                ElementsAre("MPI_Session_init",
                            "MPI_Comm_create_from_group: own barrier in 0,1; meet in 0,1",
                            "MPI_Bcast: bcast of 5 in 0,1", "MPI_Comm_free", "MPI_Session_finalize",
                            "MPI_Session_finalize: own barrier"));
  }
}

TEST(Sessions, TheFirstCommunicatorIsTheJob) {
  EXPECT_THAT(recorded("sessions").communicators.at(0).members, ElementsAre(0, 1));
}

}  // namespace commgauge::record::sessions_test
