#include "symbolic.hpp"

namespace commgauge::schedule::reduce_test {

using namespace symbolic;

TEST(Reduce, TheRootHasEachContributionOnceAndInOrderWhereThatCounts) {
  for_each_case(Operation::reduce, true, [](Collective what, Algorithm algorithm) {
    for (const std::uint64_t count : {0, 1, 37}) {
      what.counts = {count};
      const std::vector<Values> all = results({what}, algorithm);
      const Values& result = all[static_cast<std::size_t>(what.root)];
      EXPECT_EQ(what.is_commutative ? sorted(result) : result, reduced(what.ranks, 0, count));
    }
  });
}

TEST(Reduce, HalvingNeedsACommutativeOperator) {
  Collective what{Operation::reduce, 4};
  EXPECT_TRUE(is_possible(what, Algorithm::reduce_scatter_gather));
  what.is_commutative = false;
  EXPECT_FALSE(is_possible(what, Algorithm::reduce_scatter_gather));
}

}  // namespace commgauge::schedule::reduce_test
