#include "commgauge/predict/tree.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace commgauge::tree_test {

TEST(BinomialTree, OfSixAsMpichBuildsIt) {
  const std::vector<Branch> expected{{2, 0, 2}, {2, 4, 2}, {2, 3, 1}, {4, 5, 1}, {0, 1, 1}};
  EXPECT_EQ(binomial_tree(6, 2), expected);
}

TEST(BinomialTree, OfOneIsEmpty) { EXPECT_TRUE(binomial_tree(1, 0).empty()); }

TEST(BinomialTree, ReachesEveryRankOnceAndCountsSubtrees) {
  for (int n = 2; n <= 40; ++n) {
    const int root = n / 3;
    std::set<int> reached{root};
    std::map<int, int> below;
    const std::vector<Branch> tree = binomial_tree(n, root);
    for (const Branch& branch : tree) {
      EXPECT_TRUE(reached.contains(branch.parent)) << "a parent comes before its children";
      EXPECT_TRUE(reached.insert(branch.child).second);
    }
    EXPECT_EQ(reached.size(), static_cast<std::size_t>(n));
    for (auto branch = tree.rbegin(); branch != tree.rend(); ++branch) {
      EXPECT_EQ(branch->ranks, below[branch->child] + 1);
      below[branch->parent] += branch->ranks;
    }
    EXPECT_EQ(below[root], n - 1);
  }
}

}  // namespace commgauge::tree_test
