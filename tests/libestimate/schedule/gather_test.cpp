#include "symbolic.hpp"

namespace commgauge::schedule::gather_test {

using namespace symbolic;

void expect_gathered(const Collective& what, Algorithm algorithm) {
  std::vector<Collective> calls;
  Values expected;
  for (int rank = 0; rank < what.ranks; ++rank) {
    calls.push_back(what);
    // Only the root knows of others.
    if (rank != what.root) calls.back().counts = {what.count(rank)};
    for (std::uint64_t i = 0; i < what.count(rank); ++i) expected.push_back({symbol(rank, 0, i)});
  }
  EXPECT_EQ(results(calls, algorithm)[static_cast<std::size_t>(what.root)], expected);
}

TEST(Gather, TheRootHasAllBlocks) {
  for_each_case(Operation::gather, true, [](Collective what, Algorithm algorithm) {
    for (const std::uint64_t count : {0, 3}) {
      what.counts = {count};
      expect_gathered(what, algorithm);
    }
  });
}

TEST(Gather, TheRootHasAllBlocksOfDifferentSizes) {
  for_each_case(Operation::gatherv, true, [](Collective what, Algorithm algorithm) {
    what.counts = uneven(what.ranks);
    expect_gathered(what, algorithm);
  });
}

TEST(Gather, AtOnceLeavesOutWhatIsEmpty) {
  const Collective what{Operation::gatherv, 3, 0, {4, 0, 2}};
  const Schedule root = schedule_of(what, Algorithm::at_once, 0);
  ASSERT_EQ(root.steps.size(), 1U);
  EXPECT_EQ(root.steps[0].peer, 2);
  EXPECT_EQ(schedule_of(what, Algorithm::flat, 0).steps.size(), 2U);
}

}  // namespace commgauge::schedule::gather_test
