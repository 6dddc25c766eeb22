#include "costs/each_its_own.hpp"

#include <gtest/gtest.h>

#include "../samples.hpp"
#include "commgauge/model/classed.hpp"

namespace commgauge::each_its_own_test {

TEST(EachItsOwn, PairsKeepTheirValues) {
  const Model dense = samples::model(3);
  const MachineClasses classes = each_its_own(dense);
  EXPECT_TRUE(classes.each_rank_its_own());
  const Model classed = pooled(dense, classes);
  for (int from = 0; from < 3; ++from) {
    for (int to = 0; to < 3; ++to) {
      if (from == to) continue;
      EXPECT_EQ(classed.hockney->value.alpha(from, to), dense.hockney->value.alpha(from, to));
    }
  }
}

}  // namespace commgauge::each_its_own_test
