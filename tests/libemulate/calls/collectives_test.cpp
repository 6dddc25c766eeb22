#include <array>
#include <numeric>
#include <vector>

#include "virtual_time.hpp"

namespace commgauge::virtual_time::collectives_test {

constexpr MPI_Comm all = MPI_COMM_WORLD;

using Ints = std::vector<int>;

/// Of four ranks, by MPICH's algorithms.
class Collectives : public Aligned {};

TEST_F(Collectives, ABarrierTakesTwoRoundsOfMessages) {
  EXPECT_NEAR(time_of([] { MPI_Barrier(all); }), 2 * message(0), eps);
}

TEST_F(Collectives, ABarrierEndsForNobodyBeforeTheLastComes) {
  if (rank_ == 2) pass(500 * us);
  const double time = time_of([] { MPI_Barrier(all); });
  if (rank_ == 2) {
    EXPECT_NEAR(time, 0, eps);
  } else {
    EXPECT_GE(time, 500 * us + message(0) - eps);
    EXPECT_LE(time, 500 * us + 2 * message(0) + eps);
  }
}

TEST_F(Collectives, ABroadcastGoesDownABinomialTree) {
  int value = rank_ == 0 ? 42 : -1;
  const double time = time_of([&] { MPI_Bcast(&value, 1, MPI_INT, 0, all); });
  EXPECT_EQ(value, 42);
  const std::array<int, 4> depths{0, 1, 1, 2};
  EXPECT_NEAR(time, depths[static_cast<std::size_t>(rank_)] * message(4), eps);
}

TEST_F(Collectives, ABroadcastsTreeIsTurnedToItsRoot) {
  int value = rank_ == 3 ? 42 : -1;
  const double time = time_of([&] { MPI_Bcast(&value, 1, MPI_INT, 3, all); });
  EXPECT_EQ(value, 42);
  const std::array<int, 4> depths{1, 1, 2, 0};
  EXPECT_NEAR(time, depths[static_cast<std::size_t>(rank_)] * message(4), eps);
}

TEST_F(Collectives, AReductionComesUpTheTree) {
  int sum = -1;
  const double time = time_of([&] { MPI_Reduce(&rank_, &sum, 1, MPI_INT, MPI_SUM, 0, all); });
  const std::array<int, 4> heights{2, 0, 1, 0};
  EXPECT_EQ(sum, rank_ == 0 ? 6 : -1);
  EXPECT_NEAR(time, heights[static_cast<std::size_t>(rank_)] * message(4), eps);
}

TEST_F(Collectives, ASumForAllTakesTwoExchanges) {
  int sum = -1;
  const double time = time_of([&] { MPI_Allreduce(&rank_, &sum, 1, MPI_INT, MPI_SUM, all); });
  EXPECT_EQ(sum, 6);
  EXPECT_NEAR(time, 2 * message(4), eps);
}

TEST_F(Collectives, WhatIsGatheredGrowsOnItsWay) {
  Ints gathered(4, -1);
  const double time =
      time_of([&] { MPI_Gather(&rank_, 1, MPI_INT, gathered.data(), 1, MPI_INT, 0, all); });
  if (rank_ != 0) return;
  EXPECT_EQ(gathered, (Ints{0, 1, 2, 3}));
  EXPECT_NEAR(time, message(4) + message(8), eps);
}

TEST_F(Collectives, WhatIsScatteredShrinksOnItsWay) {
  Ints given{10, 11, 12, 13};
  int got = -1;
  const double time =
      time_of([&] { MPI_Scatter(given.data(), 1, MPI_INT, &got, 1, MPI_INT, 0, all); });
  EXPECT_EQ(got, 10 + rank_);
  const std::array<double, 4> expected{0, message(4), message(8), message(8) + message(4)};
  EXPECT_NEAR(time, expected[static_cast<std::size_t>(rank_)], eps);
}

TEST_F(Collectives, WhatAllGatherDoublesEachRound) {
  Ints gathered(4, -1);
  const double time =
      time_of([&] { MPI_Allgather(&rank_, 1, MPI_INT, gathered.data(), 1, MPI_INT, all); });
  EXPECT_EQ(gathered, (Ints{0, 1, 2, 3}));
  EXPECT_NEAR(time, message(4) + message(8), eps);
}

TEST_F(Collectives, PartsOfDifferentLengthsComeToTheirPlaces) {
  const Ints own(static_cast<std::size_t>(rank_), rank_);
  const Ints counts{0, 1, 2, 3};
  const Ints places{9, 0, 2, 5};
  Ints gathered(8, -1);
  MPI_Allgatherv(own.data(), rank_, MPI_INT, gathered.data(), counts.data(), places.data(), MPI_INT,
                 all);
  EXPECT_EQ(gathered, (Ints{1, -1, 2, 2, -1, 3, 3, 3}));
}

TEST_F(Collectives, EachRanksPartComesFromEach) {
  Ints out(4);
  std::iota(out.begin(), out.end(), 10 * rank_);
  Ints in(4, -1);
  const double time =
      time_of([&] { MPI_Alltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, all); });
  EXPECT_EQ(in, (Ints{rank_, 10 + rank_, 20 + rank_, 30 + rank_}));
  EXPECT_NEAR(time, message(4), eps);
}

TEST_F(Collectives, APrefixSumEndsWithTheOwnValue) {
  const int own = rank_ + 1;
  int inclusive = -1;
  MPI_Scan(&own, &inclusive, 1, MPI_INT, MPI_SUM, all);
  EXPECT_EQ(inclusive, own * (own + 1) / 2);
  int exclusive = -1;
  MPI_Exscan(&own, &exclusive, 1, MPI_INT, MPI_SUM, all);
  EXPECT_EQ(exclusive, rank_ == 0 ? -1 : rank_ * own / 2);
}

TEST_F(Collectives, ANonblockingOneGoesOnWhileTheRankSleeps) {
  int sum = -1;
  MPI_Request request = MPI_REQUEST_NULL;
  EXPECT_NEAR(time_of([&] { MPI_Iallreduce(&rank_, &sum, 1, MPI_INT, MPI_SUM, all, &request); }), 0,
              eps);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT_EQ(sum, 6);
}

TEST_F(Collectives, APersistentOneTakesWhatIsThereAtItsStart) {
  int value = 0;
  int sum = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Allreduce_init(&value, &sum, 1, MPI_INT, MPI_SUM, all, MPI_INFO_NULL, &request);
  for (const int factor : {1, 10}) {
    value = factor * rank_;
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_EQ(sum, 6 * factor);
  }
  MPI_Request_free(&request);
}

TEST_F(Collectives, NeighboursExchangeInOneMessagesTime) {
  MPI_Comm ring = MPI_COMM_NULL;
  constexpr int periodic = 1;
  MPI_Cart_create(all, 1, &ranks_, &periodic, 0, &ring);
  align();
  std::array<int, 2> in{-1, -1};
  const double time =
      time_of([&] { MPI_Neighbor_allgather(&rank_, 1, MPI_INT, in.data(), 1, MPI_INT, ring); });
  EXPECT_EQ(in, (std::array{before(), next()}));
  EXPECT_NEAR(time, message(4), eps);
  MPI_Comm_free(&ring);
}

TEST_F(Collectives, AloneARankNeedsNoTime) {
  int sum = -1;
  EXPECT_NEAR(time_of([&] {
                MPI_Barrier(MPI_COMM_SELF);
                MPI_Allreduce(&rank_, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
              }),
              0, eps);
  EXPECT_EQ(sum, rank_);
}

TEST_F(Collectives, WrongArgumentsAreErrors) {
  const ErrorsReturn errors_return;
  int value = 0;
  EXPECT_EQ(class_of(MPI_Bcast(&value, 1, MPI_INT, ranks_, all)), MPI_ERR_ROOT);
  EXPECT_EQ(class_of(MPI_Bcast(&value, -1, MPI_INT, 0, all)), MPI_ERR_COUNT);
  EXPECT_EQ(class_of(MPI_Allreduce(&value, &value, 1, MPI_INT, MPI_SUM, all)), MPI_ERR_BUFFER);
  int sum = 0;
  EXPECT_EQ(class_of(MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_OP_NULL, all)), MPI_ERR_OP);
}

}  // namespace commgauge::virtual_time::collectives_test
