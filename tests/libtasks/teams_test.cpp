#include "teams.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "../libsimulate/made_machine.hpp"
#include "commgauge/base/error.hpp"

namespace commgauge::tasks::teams_test {

using simulate::Machine;
using simulate::machine_of;
using ::testing::HasSubstr;

TEST(Teams, HaveTheirSharesOfRanksAndTasks) {
  const Work work{std::vector<double>(10, 1.0), {}};
  const std::vector<Team> teams = teams_of(11, work, {.masters = 3});
  ASSERT_EQ(teams.size(), 3U);
  const auto expect = [](const Team& team, int rank, int end, std::uint64_t task,
                         std::uint64_t end_task) {
    EXPECT_EQ(team.first_rank, rank);
    EXPECT_EQ(team.end_rank, end);
    EXPECT_EQ(team.first_task, task);
    EXPECT_EQ(team.end_task, end_task);
  };
  expect(teams[0], 0, 3, 0, 3);
  expect(teams[1], 3, 7, 3, 6);
  expect(teams[2], 7, 11, 6, 10);
}

TEST(Teams, FollowOneAnotherAndEachMasterHasAWorker) {
  const Work work{std::vector<double>(5, 1.0), {}};
  for (int ranks = 2; ranks <= 20; ++ranks) {
    for (int masters = 1; masters <= ranks / 2; ++masters) {
      int rank = 0;
      std::uint64_t task = 0;
      for (const Team& team : teams_of(ranks, work, {.masters = masters})) {
        EXPECT_EQ(team.first_rank, rank);
        EXPECT_EQ(team.first_task, task);
        EXPECT_GE(team.end_rank, rank + 2);
        rank = team.end_rank;
        task = team.end_task;
      }
      EXPECT_EQ(rank, ranks);
      EXPECT_EQ(task, 5U);
    }
  }
}

std::string refusal(int ranks, const Work& work, const Protocol& protocol) {
  try {
    (void)teams_of(ranks, work, protocol);
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

TEST(Teams, RefuseWhatCannotRun) {
  const Work work{{1.0}, {}};
  EXPECT_EQ(refusal(2, work, {}), "none");
  EXPECT_THAT(refusal(1, work, {}), HasSubstr("1 ranks for 1 master (each needs a worker)"));
  EXPECT_THAT(refusal(5, work, {.masters = 3}), HasSubstr("give at least 6"));
  EXPECT_THAT(refusal(4, work, {.masters = 0}), HasSubstr("no master"));
  EXPECT_THAT(refusal(4, {}, {}), HasSubstr("no tasks"));
  EXPECT_THAT(refusal(4, work, {.chunk = 0}), HasSubstr("chunks of no task"));
}

TEST(TeamsChunk, HasTheTimesAndTheResultsOfItsTasks) {
  const Work work{{1, 2, 4, 8}, {10, 20, 40, 80}};
  const Protocol protocol{.request = Bytes{5}, .result = Bytes{7}};
  const Chunk chunk(work, protocol);
  EXPECT_EQ(chunk.time(1, 3), 6);
  EXPECT_EQ(chunk.request(1, 3), 65U);
  EXPECT_EQ(chunk.time(2, 2), 0);
  EXPECT_EQ(chunk.request(2, 2), 5U);
  const Work alike{work.times_s, {}};
  EXPECT_EQ(Chunk(alike, protocol).request(1, 4), 5U + 3 * 7);
}

TEST(TeamsChunk, IsNoMoreThanThereAre) {
  const Work work{{1, 2, 4, 8}, {}};
  EXPECT_EQ(chunk_of(work, {.chunk = 3}), 3U);
  EXPECT_EQ(chunk_of(work, {.chunk = 5}), 4U);
}

TEST(WorkInOrder, AsAsked) {
  const std::vector<double> times{3, 1, 2, 3};
  const std::vector<std::uint32_t> bytes{30, 10, 20, 31};
  EXPECT_EQ(work_in_order(times, bytes, {}).times_s, times);
  const Work longest = work_in_order(times, bytes, {.order = Order::longest_first});
  EXPECT_EQ(longest.times_s, (std::vector<double>{3, 3, 2, 1}));
  EXPECT_EQ(longest.result_bytes, (std::vector<std::uint32_t>{30, 31, 20, 10}));
  std::vector<double> many(100);
  std::iota(many.begin(), many.end(), 0.0);
  const Work random = work_in_order(many, {}, {.order = Order::random, .seed = 3});
  EXPECT_NE(random.times_s, many);
  EXPECT_EQ(random.times_s, work_in_order(many, {}, {.order = Order::random, .seed = 3}).times_s);
  std::vector<double> sorted = random.times_s;
  std::ranges::sort(sorted);
  EXPECT_EQ(sorted, many);
}

TEST(WorkInOrder, LongestFirstDoesNotEndWithALongOne) {
  const Machine machine = machine_of(simulate::lmo_model(8, 100000), "lmo");
  Work work{std::vector<double>(100, 1e-3), {}};
  work.times_s.back() = 50e-3;
  const Work longest = work_in_order(work.times_s, {}, {.order = Order::longest_first});
  EXPECT_NEAR(run(machine, work, {}).time, 50e-3 + 99.0 / 7 * 1e-3, 2e-3);
  EXPECT_NEAR(run(machine, longest, {}).time, 50e-3, 2e-3);
}

}  // namespace commgauge::tasks::teams_test
