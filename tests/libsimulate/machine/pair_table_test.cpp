#include "commgauge/simulate/machine/pair_table.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <utility>

namespace commgauge::simulate::pair_table_test {

PairCosts costs(double one_way) {
  PairCosts pair;
  pair.one_way.first.fixed = one_way;
  return pair;
}

/// Hosts of two ranks.
double of_hosts(int from, int to) { return from / 2 == to / 2 ? 1 : 10; }

TEST(PairTable, RanksThatCouldChangePlacesAreOfOneKind) {
  const PairTable uniform(5, [](int, int) { return costs(3); });
  EXPECT_EQ(uniform.distinct(), 1U);
  for (const PairTable::Rank& rank : uniform.ranks()) EXPECT_EQ(rank.kind, 0);

  const PairTable hosts(6, [](int from, int to) { return costs(of_hosts(from, to)); });
  EXPECT_EQ(hosts.distinct(), 2U);
  EXPECT_EQ(hosts.ranks()[0].kind, hosts.ranks()[1].kind);
  EXPECT_NE(hosts.ranks()[1].kind, hosts.ranks()[2].kind);

  const PairTable uneven(4, [](int from, int to) { return costs(10 * from + to); });
  EXPECT_EQ(uneven.distinct(), 12U);
}

TEST(PairTable, EveryPairKeepsItsOwnCosts) {
  const auto of_pair = [](int from, int to) { return to == 3 ? 7.0 + from : of_hosts(from, to); };
  const PairTable table(6, [&](int from, int to) { return costs(of_pair(from, to)); });
  for (int from = 0; from < 6; ++from) {
    for (int to = 0; to < 6; ++to) {
      if (from == to) continue;
      EXPECT_EQ(table(from, to).one_way.at(0), of_pair(from, to));
    }
  }
}

TEST(PairTable, MessagesToOneselfCostNothing) {
  const PairTable all(3, [](int, int) { return costs(3); });
  EXPECT_EQ(all(1, 1), PairCosts{});
  const PairTable groups(
      {{0, 0}, {0, 0}}, 1, [](int, int) { return costs(1); }, [](int, int) { return costs(2); });
  EXPECT_EQ(groups(1, 1), PairCosts{});
}

TEST(PairTable, PairsOfAGroupMayCostSomethingElse) {
  const PairTable table(
      {{0, 0}, {0, 0}, {0, 1}, {1, 1}}, 2, [](int, int) { return costs(1); },
      [](int from, int to) { return costs(10 + 2 * from + to); });
  EXPECT_EQ(table(0, 1).one_way.at(0), 1);
  EXPECT_EQ(table(2, 3).one_way.at(0), 1);
  EXPECT_EQ(table(0, 2).one_way.at(0), 10);
  EXPECT_EQ(table(0, 3).one_way.at(0), 11);
  EXPECT_EQ(table(3, 0).one_way.at(0), 12);
}

/// How many pairs cost how much, by the table's own count.
std::map<double, std::int64_t> counted(const PairTable& table) {
  std::map<double, std::int64_t> count;
  for (const PairTable::Alike& alike : table.all_alike()) {
    count[table(alike.from, alike.to).one_way.at(0)] += alike.count;
  }
  return count;
}

TEST(PairTable, AllPairsAreCounted) {
  using Count = std::map<double, std::int64_t>;
  const PairTable uniform(5, [](int, int) { return costs(3); });
  EXPECT_EQ(counted(uniform), (Count{{3, 20}}));
  PairTable hosts(6, [](int from, int to) { return costs(of_hosts(from, to)); });
  EXPECT_EQ(counted(hosts), (Count{{1, 6}, {10, 24}}));
  hosts.keep_first(3);
  EXPECT_EQ(counted(hosts), (Count{{1, 2}, {10, 4}}));
  const PairTable groups(
      {{0, 0}, {0, 0}, {0, 1}, {1, 1}}, 2, [](int, int) { return costs(1); },
      [](int from, int to) { return costs(10 + 2 * from + to); });
  EXPECT_EQ(counted(groups), (Count{{1, 4}, {10, 4}, {11, 2}, {12, 2}}));
}

}  // namespace commgauge::simulate::pair_table_test
