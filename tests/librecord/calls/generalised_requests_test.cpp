#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "told.hpp"

namespace commgauge::record::generalised_requests_test {

using testing::ElementsAre;

TEST(GeneralisedRequests, AThreadWaitsUntilAnotherSaysThatItIsOver) {
  const auto& trace = recorded("generalised");
  EXPECT_THAT(told(trace, 1, 0),
              ElementsAre("MPI_Grequest_start", "MPI_Test: in vain", "pthread_create: start 1",
                          "pthread_join: acquire 2 after 1", "MPI_Wait: acquire 1 after 1",
                          "MPI_Finalize: own barrier"));
  EXPECT_THAT(told(trace, 1, 1), ElementsAre("thread 1 begins", "MPI_Grequest_complete: release 1",
                                             "pthread_exit: release 2", "thread ends"));
}

}  // namespace commgauge::record::generalised_requests_test
