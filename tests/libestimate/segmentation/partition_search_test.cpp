#include "segmentation/partition_search.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace commgauge::partition_search_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Points 0, 1, 2, ... of weight 1.
std::vector<SizePoint> points_with(const std::vector<double>& times) {
  std::vector<SizePoint> points;
  for (const double y : times) points.push_back({static_cast<double>(points.size()), y, 1, 0});
  return points;
}

using Breaks = std::vector<std::size_t>;

TEST(BestPartitions, FindStepsOneByOne) {
  const auto found = best_partitions(points_with({0, 0, 0, 5, 5, 5, 5, 1, 1, 1}), 3, 2);
  EXPECT_THAT(found[0], IsEmpty());
  EXPECT_EQ(found[2], (Breaks{2, 6}));
  EXPECT_EQ(found[1].size(), 1U);
}

TEST(BestPartitions, KeepSegmentsAsLongAsAsked) {
  const std::vector<double> step_after_three{0, 0, 0, 5, 5, 5, 5, 5, 5, 5};
  EXPECT_EQ(best_partitions(points_with(step_after_three), 3, 1)[1], Breaks{2});
  EXPECT_EQ(best_partitions(points_with(step_after_three), 4, 1)[1], Breaks{3});
}

/// At a kink 0, 1, 2, 3, 2, 1, 0 both lines meet in the top, which either may have.
TEST(BestPartitions, FindKinks) {
  const auto found = best_partitions(points_with({0, 1, 2, 3, 2, 1, 0}), 3, 1);
  EXPECT_THAT(found[1].at(0), ::testing::AnyOf(2U, 3U));
}

/// More lanes than one, and ends of the series that fill none.
TEST(BestPartitions, FindAStepWhereverItIs) {
  for (std::size_t last = 2; last < 27; ++last) {
    std::vector<double> times(30, 1.0);
    for (std::size_t i = last + 1; i < 30; ++i) times[i] = 2;
    const auto found = best_partitions(points_with(times), 3, 3);
    EXPECT_EQ(found[1], Breaks{last});
  }
}

}  // namespace commgauge::partition_search_test
