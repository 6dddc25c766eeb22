#include "symbolic.hpp"

namespace commgauge::schedule::scan_test {

using namespace symbolic;

/// @param others  how many ranks before, or with, rank r count: r + others
void expect_scanned(Operation operation, int others) {
  for_each_case(operation, false, [&](Collective what, Algorithm algorithm) {
    what.counts = {3};
    const std::vector<Values> all = results({what}, algorithm);
    for (int rank = 0; rank < what.ranks; ++rank) {
      const Values& result = all[static_cast<std::size_t>(rank)];
      if (rank + others == 0) {
        EXPECT_TRUE(result.empty());
        continue;
      }
      EXPECT_EQ(what.is_commutative ? sorted(result) : result, reduced(rank + others, 0, 3));
    }
  });
}

TEST(Scan, EveryoneHasTheSumUpToItself) { expect_scanned(Operation::scan, 1); }

TEST(Scan, ExclusiveLeavesOutTheOwnPartAndTheFirstRankGetsNothing) {
  expect_scanned(Operation::exscan, 0);
}

}  // namespace commgauge::schedule::scan_test
