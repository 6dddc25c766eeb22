#include "segmentation/competing_blocks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace commgauge::competing_blocks_test {

std::vector<SizePoint> points(std::size_t count) {
  std::vector<SizePoint> result;
  for (std::size_t i = 0; i < count; ++i) result.push_back({static_cast<double>(i), 1, 1, 0});
  return result;
}

TEST(CompetingBlocks, AreThePointsWhereThereAreFew) {
  const CompetingBlocks found(points(20), 3, 7);
  // Behind points 0, 1, 17 and 18 no break leaves three points on either side.
  EXPECT_EQ(found.count(), 16U);
  EXPECT_EQ(found.tested, 5U);
  EXPECT_EQ(found.blocks.front().weight, 3);
  EXPECT_EQ(found.blocks[1].weight, 1);
  EXPECT_EQ(found.blocks.back().weight, 3);
  EXPECT_FALSE(found.can_end.back());
  EXPECT_EQ(found.dimensions(), 16 + 2) << "two blocks have a slope";
}

/// The tested position is an end even where no break could be.
TEST(CompetingBlocks, EndAtTheTestedPosition) {
  const CompetingBlocks first(points(20), 3, 0);
  EXPECT_EQ(first.tested, 0U);
  EXPECT_EQ(first.blocks[0].weight, 1);
  EXPECT_FALSE(first.can_end[0]);
  const CompetingBlocks last(points(20), 3, 19);
  EXPECT_EQ(last.tested + 1, last.count());
}

TEST(CompetingBlocks, AreFewFarAway) {
  for (const std::size_t count : {400U, 10'000U, 300'000U}) {
    const CompetingBlocks found(points(count), 3, count / 3);
    EXPECT_LT(found.count(), CompetingBlocks::most);
    EXPECT_LT(found.count(), count / 2);
    double weight = 0;
    for (const LineBlock& block : found.blocks) weight += block.weight;
    EXPECT_EQ(weight, static_cast<double>(count));
    for (std::size_t i = found.tested - 14; i < found.tested + 15; ++i) {
      EXPECT_EQ(found.blocks[i].weight, 1) << "nearby all compete";
    }
  }
}

}  // namespace commgauge::competing_blocks_test
