#include "campaign/rounds.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace commgauge::bench::rounds_test {

using ::testing::ElementsAre;

TEST(Rounds, AGroupHasItsExperimentsRanksInOrder) {
  const Group group = group_of(one_to_two(2, 3, 0, Bytes{100}));
  EXPECT_THAT(group.ranks, ElementsAre(0, 2, 3));
  ASSERT_EQ(group.experiments.size(), 1u);
  EXPECT_TRUE(takes_part(group, 3));
  EXPECT_FALSE(takes_part(group, 1));
}

TEST(Rounds, APairMayComeInAnyOrder) {
  const Group group = group_of({5, 2}, {round_trip(5, 2, {}, {}), round_trip(2, 5, {}, {})});
  EXPECT_THAT(group.ranks, ElementsAre(2, 5));
  EXPECT_EQ(group.experiments.front().root, 5);
}

TEST(Rounds, EachPassHasAnOrderOfItsOwnTheSameEachTime) {
  std::vector<Round> planned;
  for (int k = 0; k < 20; ++k) planned.push_back({group_of(round_trip(k, k + 1, {}, {}))});
  const auto roots_of_pass = [&](int last, std::uint64_t seed) {
    std::vector<Round> rounds = planned;
    for (int pass = 0; pass <= last; ++pass) put_in_order_of_pass(rounds, seed, pass);
    std::vector<int> roots;
    for (const Round& round : rounds) roots.push_back(round.front().experiments.front().root);
    return roots;
  };
  EXPECT_EQ(roots_of_pass(1, 7), roots_of_pass(1, 7));
  EXPECT_NE(roots_of_pass(0, 7), roots_of_pass(1, 7));
  EXPECT_NE(roots_of_pass(0, 7), roots_of_pass(0, 8));
  std::vector<int> sorted = roots_of_pass(1, 7);
  std::ranges::sort(sorted);
  for (int k = 0; k < 20; ++k) EXPECT_EQ(sorted[static_cast<std::size_t>(k)], k);
}

TEST(Rounds, CountsExperimentsOfAllGroups) {
  const Group two = group_of({0, 1}, {round_trip(0, 1, {}, {}), round_trip(1, 0, {}, {})});
  const Group one = group_of(round_trip(2, 3, {}, {}));
  EXPECT_EQ(count_experiments({{two, one}, {one}}), 4);
  EXPECT_EQ(count_experiments({}), 0);
}

TEST(Rounds, ARootHasEachPeersMessageUnderWayAPeerItsOwn) {
  // A message and the page that it starts on; a root's last one may not fit at the end.
  const std::vector<Round> rounds{{group_of(one_to_two(0, 1, 2, Bytes{10000}))},
                                  {group_of(round_trip(3, 1, Bytes{100}, Bytes{20000}))}};
  EXPECT_EQ(bytes_at_once(rounds, 0), 3 * (10000 + 4096));
  EXPECT_EQ(bytes_at_once(rounds, 1), 20000 + 4096) << "the larger way counts";
  EXPECT_EQ(bytes_at_once(rounds, 2), 10000 + 4096);
  EXPECT_EQ(bytes_at_once(rounds, 3), 2 * (20000 + 4096));
  EXPECT_EQ(bytes_at_once(rounds, 4), 0u) << "takes part in nothing";
}

TEST(Rounds, InATreeARankHasItsSubtreesBlocks) {
  // Of four ranks from root 0 on: 2 has 3 below it.
  const std::vector<Round> rounds{{group_of(binomial_scatter(4, 0, Bytes{1000}))}};
  EXPECT_EQ(bytes_at_once(rounds, 0), 4000u);
  EXPECT_EQ(bytes_at_once(rounds, 2), 2000u);
  EXPECT_EQ(bytes_at_once(rounds, 3), 1000u);
}

}  // namespace commgauge::bench::rounds_test
