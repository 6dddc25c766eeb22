#include "commgauge/bench/calibrate/refresh.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../ranks_of.hpp"
#include "commgauge/base/error.hpp"

namespace commgauge::bench::refresh_test {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

/// Times that no machine has: each message takes 0.1 s.
Model slow_machine(int ranks) {
  Model model;
  model.ranks = ranks;
  Launch& launch = model.launches.emplace_back();
  launch.passes = 5;
  launch.confidence = 0.95;
  launch.precision = 0.025;
  for (int rank = 0; rank < ranks; ++rank) launch.ranks.push_back({"one", {rank}});
  const HockneyParameters p{Matrix(ranks, 0.1), Matrix(ranks, 1e-6), 0, 0};
  model.hockney.emplace();
  model.hockney->value = model.hockney->low = model.hockney->high = p;
  model.hockney->replicates.assign(5, p);
  model.hockney->last = Bytes{1 << 20};
  return model;
}

TEST(Refresh, WhatTheModelDoesntTellIsCorrected) {
  const int ranks = ranks_of(MPI_COMM_WORLD);
  const auto [model, found, trips, elapsed] = refresh(slow_machine(ranks), MPI_COMM_WORLD);
  ASSERT_THAT(found.classes, SizeIs(1));
  EXPECT_EQ(found.classes.front().state, ClassFreshness::State::drifted);
  EXPECT_LT(found.classes.front().fixed.value, 0.2);
  EXPECT_LT(model.hockney->value.alpha(0, 1), 0.05);
  EXPECT_GT(trips, 1);
  EXPECT_EQ(model_from_json(to_json(model), "itself").ranks, ranks);
  EXPECT_GT(elapsed.value, 0);
}

TEST(Refresh, EveryRankHasTheSame) {
  const auto refreshed = refresh(slow_machine(ranks_of(MPI_COMM_WORLD)), MPI_COMM_WORLD);
  const double mine = refreshed.model.hockney->value.alpha(0, 1);
  double least = 0;
  double most = 0;
  MPI_Allreduce(&mine, &least, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  EXPECT_EQ(least, most);
}

TEST(Refresh, AJobOfOneRankMeasuresNothing) {
  const auto refreshed = refresh(slow_machine(1), MPI_COMM_SELF);
  EXPECT_TRUE(refreshed.found.holds());
  EXPECT_THAT(refreshed.found.classes, IsEmpty());
  EXPECT_EQ(refreshed.trips, 0);
}

TEST(Refresh, AnotherNumberOfRanksIsRefusedOnEveryRank) {
  const Model other = slow_machine(ranks_of(MPI_COMM_WORLD) + 1);
  EXPECT_THAT([&] { (void)refresh(other, MPI_COMM_WORLD); },
              ThrowsMessage<InputError>(HasSubstr("for_communicator")));
}

}  // namespace commgauge::bench::refresh_test
