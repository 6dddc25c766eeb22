#include "campaign/steps/fabric.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "commgauge/base/error.hpp"
#include "made_harness.hpp"

namespace commgauge::bench::fabric_test {

using ::testing::HasSubstr;

/// A round of all ranks, each of which sends to the next one.
std::vector<HostMessage> ring(int ranks) {
  std::vector<HostMessage> pairs;
  for (int rank = 0; rank < ranks; ++rank) pairs.push_back({rank, (rank + 1) % ranks});
  return pairs;
}

TEST(FabricRounds, TimeEachPairOfEachRepetition) {
  Harness harness(MPI_COMM_WORLD, quick_options());
  FabricRounds rounds(harness, unlimited);
  if (harness.comm.rank() != 0) {
    rounds.follow();
    return;
  }
  const std::vector<HostMessage> pairs = ring(harness.comm.size());
  const auto all = rounds.time(pairs, Bytes{4096}, 3);
  const auto one = rounds.time(std::vector<HostMessage>{{1, 0}}, Bytes{0}, 2);
  rounds.finish();
  ASSERT_TRUE(all && one);
  EXPECT_EQ(all->pairs, pairs);
  ASSERT_EQ(all->times_s.size(), 3U);
  for (const auto& times : all->times_s) EXPECT_EQ(times.size(), pairs.size());
  EXPECT_EQ(one->times_s.size(), 2U);
  EXPECT_EQ(rounds.repetitions() - rounds.repeated(), 5);
}

TEST(FabricRounds, EndWhenTheirTimeIsOver) {
  Harness harness(MPI_COMM_WORLD, quick_options());
  FabricRounds rounds(harness, Seconds{0});
  if (harness.comm.rank() != 0) {
    rounds.follow();
  } else {
    EXPECT_FALSE(rounds.time(ring(harness.comm.size()), Bytes{0}, 1));
  }
}

TEST(FabricRounds, EndWhenTheyAreCancelled) {
  Options options = quick_options();
  options.cancelled = [] { return true; };
  Harness harness(MPI_COMM_WORLD, options);
  EXPECT_THROW((void)plan_fabric(harness, unlimited), FitError);
}

/// Of four hosts or more; an emulated machine's ranks have links of their own.
FabricRun look(Seconds budget) {
  Harness harness(MPI_COMM_WORLD, quick_options());
  if (harness.comm.size() < least_fabric_hosts) return {};
  std::vector<std::string> hosts;
  for (int rank = 0; rank < harness.comm.size(); ++rank)
    hosts.push_back("n" + std::to_string(rank));
  return measure_fabric(harness, hosts, budget);
}

TEST(MeasureFabric, KeepsAllRounds) {
  const FabricRun run = look(unlimited);
  if (run.hosts.empty()) return;
  EXPECT_FALSE(run.left_out) << run.left_out->text();
  EXPECT_GT(run.rounds.size(), 12U);
  EXPECT_GE(run.size.value, 1U << 16);
  for (const FabricRound& round : run.rounds) EXPECT_EQ(round.times_s.size(), 5U);
  EXPECT_GE(run.repetitions, 5 * std::ssize(run.rounds));
}

TEST(MeasureFabric, SaysThatTheTimeBudgetIsTooShort) {
  const FabricRun run = look(Seconds{1e-3});
  if (run.hosts.empty()) return;
  EXPECT_TRUE(run.rounds.empty());
  ASSERT_TRUE(run.left_out);
  EXPECT_THAT(run.left_out->text(), HasSubstr("time budget"));
}

}  // namespace commgauge::bench::fabric_test
