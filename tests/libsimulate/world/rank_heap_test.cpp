#include "commgauge/simulate/world/rank_heap.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace commgauge::simulate::rank_heap_test {

using testing::UnorderedElementsAreArray;

TEST(RankHeap, TellsTheLeastAndThoseBeforeATime) {
  constexpr int ranks = 40;
  constexpr int changes = 4000;
  Arena arena;
  RankHeap heap(arena, RankHeap::set_up(arena, ranks));
  std::vector<double> times(ranks, RankHeap::never);
  std::mt19937 random(1);
  for (int k = 0; k < changes; ++k) {
    const auto rank = random() % ranks;
    times[rank] = random() % 3 == 0 ? RankHeap::never : static_cast<double>(random() % 100);
    heap.set(static_cast<int>(rank), times[rank]);
    EXPECT_EQ(heap.least(), std::ranges::min(times));
    std::vector<int> expected;
    for (int r = 0; r < ranks; ++r) {
      if (times[static_cast<std::size_t>(r)] < 50) expected.push_back(r);
    }
    std::vector<int> found;
    heap.for_each_before(50, [&](int r) { found.push_back(r); });
    ASSERT_THAT(found, UnorderedElementsAreArray(expected)) << "after change " << k;
  }
}

TEST(RankHeap, IsEmptyAtFirst) {
  Arena arena;
  const RankHeap heap(arena, RankHeap::set_up(arena, 3));
  EXPECT_TRUE(heap.is_empty());
  EXPECT_EQ(heap.least(), RankHeap::never);
}

}  // namespace commgauge::simulate::rank_heap_test
