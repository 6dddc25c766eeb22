#include "commgauge/base/pair_classes.hpp"

#include <gtest/gtest.h>

namespace commgauge::pair_classes_test {

/// Two hosts of two ranks of kind 0, one of three of kind 1.
PairClasses three_hosts() { return {{{0, 7}, {0, 7}, {0, 2}, {0, 2}, {1, 5}, {1, 5}, {1, 5}}, 2}; }

TEST(PairClasses, KindsAndGroupsSayTheClass) {
  const PairClasses classes = three_hosts();
  EXPECT_EQ(classes.classes(), 8);
  EXPECT_EQ(classes.class_of(0, 2), classes.class_of_kinds(0, 0, false));
  EXPECT_EQ(classes.class_of(0, 1), classes.class_of_kinds(0, 0, true));
  EXPECT_EQ(classes.class_of(1, 4), classes.class_of_kinds(0, 1, false));
  EXPECT_EQ(classes.class_of(4, 1), classes.class_of_kinds(1, 0, false));
}

TEST(PairClasses, EachOrderedPairCountsOnce) {
  const PairClasses classes = three_hosts();
  std::vector<std::int64_t> expected(8);
  for (int i = 0; i < classes.ranks(); ++i) {
    for (int j = 0; j < classes.ranks(); ++j) {
      if (i != j) ++expected[static_cast<std::size_t>(classes.class_of(i, j))];
    }
  }
  EXPECT_EQ(classes.pair_counts(), expected);
  EXPECT_EQ(expected[static_cast<std::size_t>(classes.class_of(4, 5))], 6);
  EXPECT_EQ(expected[static_cast<std::size_t>(classes.class_of(0, 2))], 8);
}

TEST(PairClasses, EveryClassThatHasPairsHasAnExample) {
  for (const PairClasses& classes :
       {three_hosts(), PairClasses({{0, 0}, {1, 0}, {0, 1}, {1, 1}}, 2),
        PairClasses({{0, 0}, {0, 0}, {0, 1}, {1, 1}, {1, 0}, {2, 3}}, 4)}) {
    const auto counts = classes.pair_counts();
    const auto examples = classes.examples();
    ASSERT_EQ(examples.size(), counts.size());
    for (std::size_t k = 0; k < counts.size(); ++k) {
      EXPECT_EQ(examples[k].from >= 0, counts[k] > 0) << k;
      if (counts[k] == 0) continue;
      EXPECT_EQ(classes.class_of(examples[k].from, examples[k].to), static_cast<int>(k));
    }
  }
}

TEST(PairClasses, KindsMayShareAGroup) {
  const PairClasses classes({{0, 0}, {1, 0}, {0, 1}, {1, 1}}, 2);
  EXPECT_EQ(classes.pair_counts(), (std::vector<std::int64_t>{2, 2, 2, 2, 0, 2, 2, 0}));
}

}  // namespace commgauge::pair_classes_test
