#include "ranks/stop_call.hpp"

#include <gtest/gtest.h>

#include "commgauge/bench/clock/clock.hpp"

namespace commgauge::bench::stop_call_test {

TEST(StopCall, NobodyWhoIsNotCancelledCalls) {
  const Communicator comm(MPI_COMM_WORLD);
  StopCall call(comm, {});
  call.call_if_cancelled();
  EXPECT_FALSE(call.is_heard());
  call.end();
  EXPECT_FALSE(call.is_heard());
}

TEST(StopCall, WhoIsCancelledHearsItself) {
  const Communicator comm(MPI_COMM_WORLD);
  StopCall call(comm, [&] { return comm.rank() == 1; });
  EXPECT_EQ(call.is_heard(), comm.rank() == 1);
  call.end();
}

TEST(StopCall, Rank0HearsOneThatSleeps) {
  const Communicator comm(MPI_COMM_WORLD);
  StopCall call(comm, [&] { return comm.rank() == comm.size() - 1; });
  if (comm.rank() == 0) {
    const double patience = Clock::now() + 10;
    while (!call.is_heard() && Clock::now() < patience) wait_until(Clock::now() + 1e-4, true);
    EXPECT_TRUE(call.is_heard());
  } else {
    for (int look = 0; look < 3; ++look) call.call_if_cancelled();
    EXPECT_EQ(call.is_heard(), comm.rank() == comm.size() - 1);
  }
  call.end();
}

/// Nothing of them is left for whoever uses the communicator then.
TEST(StopCall, AllCallsAreTakenAtTheEnd) {
  const Communicator comm(MPI_COMM_WORLD);
  StopCall call(comm, [&] { return comm.rank() != 0; });
  if (comm.rank() != 0) call.call_if_cancelled();
  call.end();
  int found = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm.get(), &found, MPI_STATUS_IGNORE);
  EXPECT_EQ(found, 0);
  if (comm.rank() == 0) {
    EXPECT_TRUE(call.is_heard());
  }
}

}  // namespace commgauge::bench::stop_call_test
