#include "mpi/politely.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <array>
#include <chrono>
#include <thread>
#include <vector>

namespace commgauge::emulate::politely_test {

class Politely : public testing::Test {
 protected:
  Politely() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
  }
  int rank_{};
  int ranks_{};
};

TEST_F(Politely, ABroadcastReachesAll) {
  std::array<int, 3> data{rank_, 0, 0};
  if (rank_ == ranks_ - 1) data = {7, 8, 9};
  politely::broadcast(data.data(), sizeof data, ranks_ - 1);
  EXPECT_EQ(data, (std::array{7, 8, 9}));
}

TEST_F(Politely, TheLeastValueIsKnownToAll) {
  EXPECT_EQ(politely::least(10 - rank_), 10 - (ranks_ - 1));
  EXPECT_EQ(politely::least(10 + rank_), 10);
}

TEST_F(Politely, WhatIsGatheredIsInTheRanksOrder) {
  const std::array<int, 2> own{rank_, 2 * rank_};
  std::vector<int> all(static_cast<std::size_t>(2 * ranks_), -1);
  politely::gather(own.data(), sizeof own, all.data());
  for (int i = 0; i < ranks_ && rank_ == 0; ++i) {
    EXPECT_EQ(all[static_cast<std::size_t>(2 * i)], i);
    EXPECT_EQ(all[static_cast<std::size_t>(2 * i + 1)], 2 * i);
  }
}

TEST_F(Politely, ARankThatIsLateIsWaitedFor) {
  if (rank_ == 0) std::this_thread::sleep_for(std::chrono::milliseconds(30));
  EXPECT_EQ(politely::least(rank_), 0);
}

}  // namespace commgauge::emulate::politely_test
