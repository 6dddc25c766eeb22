#include "commgauge/predict/query.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace commgauge::query_test {

using ::testing::ElementsAre;

TEST(Query, IsACollectiveOfEqualBlocks) {
  Query query{"lmo", Operation::gather, 2, -1, Bytes{100}};
  query.order = {3, 0, 1};
  const schedule::Collective what = collective_of(query, 4);
  EXPECT_EQ(what.operation, Operation::gather);
  EXPECT_EQ(what.ranks, 4);
  EXPECT_EQ(what.root, 2);
  EXPECT_THAT(what.counts, ElementsAre(100));
  EXPECT_THAT(what.order, ElementsAre(3, 0, 1));
}

TEST(Query, SidesHaveNames) {
  EXPECT_EQ(to_text(Side::sender), "sender");
  EXPECT_EQ(to_text(Side::receiver), "receiver");
}

}  // namespace commgauge::query_test
