#include "write/sizes.hpp"

#include <gtest/gtest.h>

namespace commgauge::trace::sizes_test {

using schedule::Operation;

/// Of four ranks, with counts of 8 bytes.
Sizes sizes(Operation operation, int rank, std::vector<std::uint64_t> counts, int root = 0) {
  Collective called;
  called.what.operation = operation;
  called.what.ranks = 4;
  called.what.root = root;
  called.what.counts = std::move(counts);
  called.what.unit = {8};
  return sizes_of(called, rank);
}

TEST(Sizes, OfABroadcastTheRootSendsForAll) {
  EXPECT_EQ(sizes(Operation::bcast, 2, {10}, 2).sent, 4U * 80);
  EXPECT_EQ(sizes(Operation::bcast, 2, {10}, 2).received, 80U);
  EXPECT_EQ(sizes(Operation::bcast, 1, {10}, 2).sent, 0U);
}

TEST(Sizes, OfAReductionTheRootReceivesFromAll) {
  EXPECT_EQ(sizes(Operation::reduce, 3, {10}).sent, 80U);
  EXPECT_EQ(sizes(Operation::reduce, 3, {10}).received, 0U);
  EXPECT_EQ(sizes(Operation::reduce, 0, {10}).received, 4U * 80);
}

TEST(Sizes, OfListsEachRankHasItsOwn) {
  EXPECT_EQ(sizes(Operation::allgatherv, 1, {1, 2, 3, 4}).sent, 4U * 2 * 8);
  EXPECT_EQ(sizes(Operation::allgatherv, 1, {1, 2, 3, 4}).received, 10U * 8);
}

TEST(Sizes, OfAScanThereAreAsManyAsBefore) {
  EXPECT_EQ(sizes(Operation::scan, 1, {1}).sent, 3U * 8);
  EXPECT_EQ(sizes(Operation::scan, 1, {1}).received, 2U * 8);
  EXPECT_EQ(sizes(Operation::exscan, 3, {1}).sent, 0U);
  EXPECT_EQ(sizes(Operation::exscan, 3, {1}).received, 3U * 8);
}

TEST(Sizes, OfNeighboursAreThoseOfTheirMessages) {
  Collective called;
  called.is_neighbourhood = true;
  called.to = {{1, 0, 100}, {2, 0, 10}};
  called.from = {{1, 0, 7}};
  EXPECT_EQ(sizes_of(called, 0).sent, 110U);
  EXPECT_EQ(sizes_of(called, 0).received, 7U);
}

}  // namespace commgauge::trace::sizes_test
