#include "commgauge/plan/host_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace commgauge::host_plan_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::vector<Bytes> sizes{{100}, {200}};
const std::vector<Bytes> hundred{{100}};

TEST(HostPlan, RanksBelongToHostsByTheirNames) {
  const std::vector<std::string> hosts{"a", "b", "a", "c", "b"};
  EXPECT_THAT(ranks_of_hosts(hosts),
              ElementsAre(ElementsAre(0, 2), ElementsAre(1, 4), ElementsAre(3)));
}

TEST(HostPlan, OneHostOrOneRankOnEachHasNothingToShare) {
  const Matrix times(4, 1.0);
  EXPECT_THAT(host_link_experiments(std::vector<std::string>(4, "a"), sizes, times), IsEmpty());
  EXPECT_THAT(host_link_experiments(std::vector<std::string>{"a", "b", "c", "d"}, sizes, times),
              IsEmpty());
  EXPECT_THAT(host_link_experiments({}, sizes, times), IsEmpty());
}

TEST(HostPlan, AHostsRanksMeetTheFastestHostsBothWays) {
  const std::vector<std::string> hosts{"a", "a", "b", "c", "d"};
  Matrix times(5, 1.0);
  times.set_both(0, 2, 9.0);  // b is slow
  const auto groups = host_link_experiments(hosts, sizes, times);
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_THAT(groups[0], ElementsAre(pairs_at_once({0, 1}, {3, 4}, {100}),
                                     pairs_at_once({0, 1}, {3, 4}, {200})));
  EXPECT_THAT(groups[1], ElementsAre(pairs_at_once({3, 4}, {0, 1}, {100}),
                                     pairs_at_once({3, 4}, {0, 1}, {200})));
  EXPECT_THAT(groups[2], ElementsAre(pairs_at_once({0, 4}, {3, 1}, {100}),
                                     pairs_at_once({0, 4}, {3, 1}, {200})))
      << "both ways at once";
}

TEST(HostPlan, SlowerHostsAreNeededOnlyWhereFastOnesHaveNoMoreRanks) {
  const std::vector<std::string> hosts{"a", "a", "a", "b", "b", "c", "c"};
  Matrix times(7, 1.0);
  times.set_both(0, 3, 1.2);
  EXPECT_EQ(host_link_experiments(hosts, sizes, times)[0].back(),
            pairs_at_once({0, 1, 2}, {5, 6, 3}, {200}));
  times.set_both(0, 3, 1.05);
  EXPECT_EQ(host_link_experiments(hosts, sizes, times)[0].back(),
            pairs_at_once({0, 1, 2}, {5, 3, 6}, {200}))
      << "alike: in turn";
}

/// One's way out is the other's way in: once is enough.
TEST(HostPlan, NothingIsMeasuredTwice) {
  const std::vector<std::string> hosts{"a", "a", "b", "b"};
  const auto groups = host_link_experiments(hosts, sizes, Matrix(4, 1.0));
  ASSERT_EQ(groups.size(), 4U);
  EXPECT_EQ(groups[0].front(), pairs_at_once({0, 1}, {2, 3}, {100}));
  EXPECT_EQ(groups[1].front(), pairs_at_once({2, 3}, {0, 1}, {100}));
  EXPECT_EQ(groups[2].front(), pairs_at_once({0, 3}, {2, 1}, {100}));
  EXPECT_EQ(groups[3].front(), pairs_at_once({2, 1}, {0, 3}, {100}));
}

TEST(MemoryExperiments, OfHalvesAndOfNeighbours) {
  EXPECT_THAT(
      memory_experiments({4, 5, 6, 7}, 0, hundred),
      ElementsAre(pairs_at_once({4, 5}, {6, 7}, {100}), pairs_at_once({4, 6}, {5, 7}, {100})));
  EXPECT_THAT(
      memory_experiments({0, 1, 2, 3, 4, 5, 6}, 0, hundred),
      ElementsAre(pairs_at_once({0, 1}, {3, 4}, {100}), pairs_at_once({0, 1, 2}, {3, 4, 5}, {100}),
                  pairs_at_once({0, 2, 4}, {1, 3, 5}, {100})))
      << "the seventh has nobody left";
}

TEST(MemoryExperiments, TakeNoMoreRanksThanCores) {
  const std::vector<int> eight{0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_THAT(
      memory_experiments(eight, 5, hundred),
      ElementsAre(pairs_at_once({0, 1}, {2, 3}, {100}), pairs_at_once({0, 2}, {1, 3}, {100})))
      << "no two of eight on one of four cores";
  EXPECT_THAT(memory_experiments(eight, 3, sizes), IsEmpty());
  EXPECT_THAT(memory_experiments({0, 1, 2}, 0, sizes), IsEmpty());
  EXPECT_THAT(memory_experiments({}, 0, sizes), IsEmpty());
}

TEST(HostPlan, PairsAtOnceNameTheirPeersByTurns) {
  const Experiment e = pairs_at_once({0, 1, 2}, {5, 6, 7}, Bytes{100});
  EXPECT_EQ(e.root, 0);
  EXPECT_THAT(e.peers, ElementsAre(5, 1, 6, 2, 7));
  EXPECT_EQ(e.out.value, 100U);
  EXPECT_EQ(e.back.value, 0U);
}

}  // namespace commgauge::host_plan_test
