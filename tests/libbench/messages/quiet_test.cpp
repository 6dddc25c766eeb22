#include "messages/quiet.hpp"

#include <gtest/gtest.h>

#include "commgauge/bench/clock/clock.hpp"
#include "messages/communicator.hpp"

namespace commgauge::bench::quiet_test {

TEST(AgreeQuietly, TheLargestFlagCounts) {
  const Communicator comm(MPI_COMM_WORLD);
  EXPECT_EQ(agree_quietly(comm.get(), comm.rank() == 1 ? 7 : 3), 7);
  EXPECT_EQ(agree_quietly(comm.get(), -5 - comm.rank()), -5);
}

TEST(AgreeQuietly, NobodyKnowsBeforeTheLastHasCome) {
  const Communicator comm(MPI_COMM_WORLD);
  double came = 0;
  if (comm.rank() == 0) {
    wait_until(Clock::now() + 20e-3, true);
    came = Clock::now();
  }
  int others = 0;
  (void)agree_quietly(comm.get(), 0, [&] { ++others; });
  const double left = Clock::now();
  MPI_Bcast(&came, 1, MPI_DOUBLE, 0, comm.get());
  EXPECT_GE(left, came) << "ranks of one machine have one clock";
  if (comm.rank() != 0) {
    EXPECT_GT(others, 0) << "there is time for something else";
  }
}

TEST(WaitQuietly, ARequestIsOverThen) {
  const Communicator comm(MPI_COMM_WORLD);
  int value = comm.rank();
  const int next = (comm.rank() + 1) % comm.size();
  const int last = (comm.rank() + comm.size() - 1) % comm.size();
  int received = -1;
  MPI_Request receive = MPI_REQUEST_NULL;
  MPI_Irecv(&received, 1, MPI_INT, last, 0, comm.get(), &receive);
  MPI_Request send = MPI_REQUEST_NULL;
  MPI_Isend(&value, 1, MPI_INT, next, 0, comm.get(), &send);
  wait_quietly(receive);
  wait_quietly(send);
  EXPECT_EQ(received, last);
  EXPECT_EQ(receive, MPI_REQUEST_NULL);
  EXPECT_EQ(send, MPI_REQUEST_NULL);
}

TEST(SleepBriefly, TakesAMoment) {
  const double start = Clock::now();
  sleep_briefly();
  EXPECT_GE(Clock::now() - start, 0.99e-4);
}

}  // namespace commgauge::bench::quiet_test
