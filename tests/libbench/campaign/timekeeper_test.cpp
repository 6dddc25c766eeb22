#include "campaign/timekeeper.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include "campaign/rounds.hpp"
#include "commgauge/base/error.hpp"

namespace commgauge::bench::timekeeper_test {

TEST(Timekeeper, WithoutALimitACampaignGoesOn) {
  const Communicator comm(MPI_COMM_WORLD);
  const Options options;
  Timekeeper timekeeper(comm, options);
  EXPECT_TRUE(timekeeper.may_go_on());
  EXPECT_EQ(timekeeper.budget(), unlimited);
  EXPECT_NO_THROW(timekeeper.require_going_on());
}

TEST(Timekeeper, AnyRankCancelsForAll) {
  const Communicator comm(MPI_COMM_WORLD);
  Options options;
  options.cancelled = [&] { return comm.rank() == comm.size() - 1; };
  Timekeeper timekeeper(comm, options);
  EXPECT_FALSE(timekeeper.may_go_on());
  EXPECT_EQ(timekeeper.verdict(), Verdict::cancelled);
  EXPECT_THROW(timekeeper.require_going_on(), FitError);
}

TEST(Timekeeper, TheBudgetOfRank0CountsAndCancellingMore) {
  const Communicator comm(MPI_COMM_WORLD);
  Options options;
  options.time_budget = Seconds{comm.rank() == 0 ? 1e-12 : 1e6};
  Timekeeper timekeeper(comm, options);
  wait_until(Clock::now() + 1e-4, false);
  EXPECT_FALSE(timekeeper.may_go_on());
  EXPECT_EQ(timekeeper.verdict(), Verdict::out_of_time);
  options.cancelled = [&] { return comm.rank() == 1; };
  EXPECT_FALSE(timekeeper.may_go_on());
  EXPECT_EQ(timekeeper.verdict(), Verdict::cancelled);
}

TEST(Timekeeper, WhatACompleteCampaignCanDoWithoutLeavesItComplete) {
  const Communicator comm(MPI_COMM_WORLD);
  Options options;
  options.cancelled = [] { return true; };
  const Timekeeper timekeeper(comm, options);
  EXPECT_FALSE(timekeeper.may_add_more());
  EXPECT_EQ(timekeeper.verdict(), Verdict::go_on);
}

TEST(ShareRounds, EveryRankHasThoseOfRank0) {
  const Communicator comm(MPI_COMM_WORLD);
  const Experiment first = round_trip(1, 0, Bytes{100}, Bytes{200});
  const Experiment second = round_trip(0, 1, Bytes{300}, Bytes{0});
  std::vector<Round> rounds;
  if (comm.rank() == 0) rounds = {{group_of(first)}, {group_of(second)}};
  rounds = share_rounds(comm, rounds);
  ASSERT_EQ(rounds.size(), 2u);
  EXPECT_EQ(rounds[0].front().ranks, (std::vector<int>{0, 1}));
  EXPECT_EQ(rounds[0].front().experiments.front(), first);
  EXPECT_EQ(rounds[1].front().experiments.front(), second);
}

}  // namespace commgauge::bench::timekeeper_test
