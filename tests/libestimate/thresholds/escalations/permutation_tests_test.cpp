#include "thresholds/escalations/permutation_tests.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace commgauge::permutation_tests_test {

const RateLikelihood rate(200);

/// Twelve sizes of ten repetitions; at some all escalate.
std::vector<Count> escalating(const std::vector<std::size_t>& where) {
  std::vector<Count> counts(12, Count{10, 0});
  for (const std::size_t p : where) counts[p].escalated = 10;
  return counts;
}

/// Four in a row come about in 9 of 495 orders, two in 11 of 66.
TEST(LieTogether, MoreThanByChance) {
  EXPECT_TRUE(lie_together(rate, escalating({4, 5, 6, 7})));
  EXPECT_FALSE(lie_together(rate, escalating({4, 5})));
  EXPECT_FALSE(lie_together(rate, escalating({1, 4, 7, 10})));
}

TEST(LieTogether, SizesThatDontCountPartNothing) {
  std::vector<Count> counts = escalating({4, 5, 7, 8});
  EXPECT_FALSE(lie_together(rate, counts));
  counts[6] = {};
  EXPECT_TRUE(lie_together(rate, counts));
}

/// Ten passes of twelve sizes, in each of which one size escalates.
template <class Where>
std::vector<Pass> passes(Where&& where) {
  std::vector<Pass> result(10);
  for (std::size_t i = 0; i < result.size(); ++i) {
    for (std::size_t p = 0; p < 12; ++p) {
      result[i].points.push_back(p);
      result[i].escalated.push_back(p == where(i));
    }
  }
  return result;
}

std::vector<Count> counted(const std::vector<Pass>& passes) {
  std::vector<Count> counts(12);
  for (const Pass& pass : passes) {
    for (std::size_t i = 0; i < pass.points.size(); ++i) {
      ++counts[pass.points[i]].all;
      counts[pass.points[i]].escalated += pass.escalated[i] ? 1 : 0;
    }
  }
  return counts;
}

TEST(PreferARange, WhereTheSameSizesEscalateInAllPasses) {
  const auto two_sizes = passes([](std::size_t pass) { return 4 + pass % 2; });
  EXPECT_TRUE(prefer_a_range(rate, counted(two_sizes), two_sizes));
  const auto anywhere = passes([](std::size_t pass) { return pass; });
  EXPECT_FALSE(prefer_a_range(rate, counted(anywhere), anywhere));
}

TEST(Pooled, SizesCloserThanUsualAreOne) {
  Sweep sweep;
  std::vector<Count> counts;
  for (const std::uint64_t size : {1, 2, 4, 8, 16, 17, 18, 32}) {
    sweep.points.push_back({Bytes{size}, {1}});
    counts.push_back({size, size % 2});
  }
  const std::vector<Count> pools = pooled(sweep, counts);
  ASSERT_EQ(pools.size(), 6U);
  EXPECT_EQ(pools[4].all, 16U + 17 + 18);
  EXPECT_EQ(pools[4].escalated, 1U);
  EXPECT_EQ(pools[5].all, 32U);
}

TEST(NeighboursEscalate, PassOverSizesThatDontCount) {
  EXPECT_TRUE(neighbours_escalate(escalating({4, 5})));
  EXPECT_FALSE(neighbours_escalate(escalating({4, 6})));
  std::vector<Count> counts = escalating({4, 6});
  counts[5] = {};
  EXPECT_TRUE(neighbours_escalate(counts));
}

}  // namespace commgauge::permutation_tests_test
