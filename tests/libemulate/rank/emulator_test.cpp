#include <array>

#include "virtual_time.hpp"

namespace commgauge::virtual_time::emulator_test {

constexpr MPI_Comm all = MPI_COMM_WORLD;

class ARanksClock : public Aligned {};

TEST_F(ARanksClock, AskingInVainTakes100Nanoseconds) {
  constexpr int times = 1000;
  const double time = time_of([] {
    for (int i = 0; i < times; ++i) {
      int flag = 0;
      MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, all, &flag, MPI_STATUS_IGNORE);
      EXPECT_EQ(flag, 0);
    }
  });
  EXPECT_NEAR(time, times * 0.1 * us, eps);
}

TEST_F(ARanksClock, WhoAsksInALoopSeesAMessageWhenItIsThere) {
  MPI_Send(&rank_, 1, MPI_INT, next(), 0, all);
  int flag = 0;
  const double time = time_of([&] {
    while (flag == 0) MPI_Iprobe(before(), 0, all, &flag, MPI_STATUS_IGNORE);
  });
  EXPECT_NEAR(time, message(4), eps);
  int got = -1;
  MPI_Recv(&got, 1, MPI_INT, before(), 0, all, MPI_STATUS_IGNORE);
  EXPECT_EQ(got, before());
}

TEST_F(ARanksClock, ReadingItTakes20Nanoseconds) {
  const double first = MPI_Wtime();
  const double second = MPI_Wtime();
  EXPECT_NEAR(second - first, 0.02 * us, 1e-3 * us);
}

TEST_F(ARanksClock, WhatIsSentIsAsItWasThen) {
  std::array<int, 2> data{rank_, rank_};
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(data.data(), 2, MPI_INT, next(), 0, all, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  data = {-1, -1};
  std::array<int, 2> got{};
  MPI_Recv(got.data(), 2, MPI_INT, before(), 0, all, MPI_STATUS_IGNORE);
  EXPECT_EQ(got, (std::array{before(), before()}));
}

TEST_F(ARanksClock, ARankHearsFromItself) {
  int got = -1;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(&got, 1, MPI_INT, rank_, 0, all, &request);
  MPI_Send(&rank_, 1, MPI_INT, rank_, 0, all);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT_EQ(got, rank_);
}

}  // namespace commgauge::virtual_time::emulator_test
