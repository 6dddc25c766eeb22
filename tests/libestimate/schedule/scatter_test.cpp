#include "symbolic.hpp"

namespace commgauge::schedule::scatter_test {

using namespace symbolic;

void expect_scattered(const Collective& what, Algorithm algorithm) {
  std::vector<Collective> calls;
  for (int rank = 0; rank < what.ranks; ++rank) {
    calls.push_back(what);
    if (rank != what.root) calls.back().counts = {what.count(rank)};
  }
  const std::vector<Values> all = results(calls, algorithm);
  for (int rank = 0; rank < what.ranks; ++rank) {
    Values expected;
    for (std::uint64_t i = 0; i < what.count(rank); ++i) {
      expected.push_back({symbol(what.root, rank, i)});
    }
    EXPECT_EQ(all[static_cast<std::size_t>(rank)], expected) << "rank " << rank;
  }
}

TEST(Scatter, EveryoneHasItsBlock) {
  for_each_case(Operation::scatter, true, [](Collective what, Algorithm algorithm) {
    for (const std::uint64_t count : {0, 3}) {
      what.counts = {count};
      expect_scattered(what, algorithm);
    }
  });
}

TEST(Scatter, EveryoneHasItsBlockOfAnotherSize) {
  for_each_case(Operation::scatterv, true, [](Collective what, Algorithm algorithm) {
    what.counts = uneven(what.ranks);
    expect_scattered(what, algorithm);
  });
}

TEST(Scatter, BinomialSendsASubtreesBlocksTogether) {
  const Collective what{Operation::scatter, 6, 1, {10}};
  const Schedule root = schedule_of(what, Algorithm::binomial, 1);
  ASSERT_EQ(root.steps.size(), 3U);
  EXPECT_EQ(root.steps[0].here, (Block{0, 40, 20}));
  EXPECT_EQ(root.steps[1].here, (Block{0, 20, 20}));
  EXPECT_EQ(root.steps[2].here, (Block{0, 10, 10}));
  EXPECT_EQ(root.gives[0], (Block{0, 50, 10})) << "rank 0 is the farthest from the root";
}

}  // namespace commgauge::schedule::scatter_test
