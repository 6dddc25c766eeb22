#include "plan/cut_search.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace commgauge::cut_search_test {

using ::testing::IsEmpty;

/// Of equal hosts with these links between them.
std::vector<HostSplit> splits(const std::vector<LoadedLink>& links, int n, int most_rounds = 100) {
  const Matrix alone(n, 1.0);
  CutTask task;
  task.scopes.emplace_back();
  for (int host = 0; host < n; ++host) {
    task.scopes[0].push_back(host);
    task.cell.push_back(host);
  }
  task.run = [&](const auto& pairs) { return times_at_once(pairs, alone, links); };
  task.expected = [&](const auto& pairs) { return times_at_once(pairs, alone, {}); };
  task.patience = [](std::size_t hosts) { return hosts < 4 ? 0 : 6; };
  task.most_rounds = most_rounds;
  std::mt19937_64 random(1);
  return find_cuts(task, alone, random);
}

TEST(FindCuts, LeavesHostsTogetherThatShareNothing) {
  const auto found = splits({}, 8);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(found[0].parts, IsEmpty());
  EXPECT_FALSE(found[0].shared);
}

TEST(FindCuts, SplitsHostsAtALink) {
  const std::vector<int> side{1, 0, 1, 0, 1, 0, 1, 0, 0, 0};
  for (const Passing way : {Passing::out, Passing::in}) {
    const auto found = splits({{side, way, 1}}, 10);
    ASSERT_GE(found.size(), 3U);
    for (const int part : found[0].parts) {
      const std::vector<int>& hosts = found[static_cast<std::size_t>(part)].hosts;
      EXPECT_TRUE(hosts == std::vector({0, 2, 4, 6}) || hosts == std::vector({1, 3, 5, 7, 8, 9}));
      EXPECT_EQ(found[static_cast<std::size_t>(part)].parent, 0);
    }
  }
}

TEST(FindCuts, TellsALinkThatBothWaysShare) {
  const auto found = splits({{{0, 1, 2, 3, 4, 5, 6, 7}, Passing::between, 3}}, 8);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].shared);
}

TEST(FindCuts, StopsInTime) {
  EXPECT_EQ(splits({{{1, 1, 1, 1, 0, 0, 0, 0}, Passing::out, 1}}, 8, 2).size(), 1U);
}

}  // namespace commgauge::cut_search_test
