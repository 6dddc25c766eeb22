#include "segmentation/series.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "refusal.hpp"

namespace commgauge::series_test {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::vector<Bytes> sizes{{100}, {104}, {104}, {110}};
const std::vector<Seconds> times{{1}, {2}, {4}, {9}};
const std::vector<double> weights{1, 3, 1, 1};

TEST(Series, CountsFromTheSmallestSize) {
  const ObservedSeries series = as_numbers(sizes, times, {}, {});
  EXPECT_EQ(series.origin, 100);
  EXPECT_THAT(series.x, ElementsAre(0, 4, 4, 10));
  EXPECT_THAT(series.y, ElementsAre(1, 2, 4, 9));
  EXPECT_THAT(series.weight, ElementsAre(1, 1, 1, 1));
  EXPECT_THAT(starts_of_sizes(series), ElementsAre(0, 1, 3, 4));
}

TEST(Series, FloorsAreWeightedSquares) {
  const std::vector<Seconds> floors{{0.5}, {0.5}, {0}, {0}};
  const ObservedSeries series = as_numbers(sizes, times, weights, floors);
  EXPECT_THAT(series.floor,
              ElementsAre(0.25, 0.75, DoubleNear(1.6e-17, 1e-25), DoubleNear(8.1e-17, 1e-25)));
}

TEST(Series, RepeatedSizesAreOnePoint) {
  const ObservedSeries series = as_numbers(sizes, times, weights, {});
  const std::vector<SizePoint> points = points_of(series, starts_of_sizes(series));
  ASSERT_EQ(points.size(), 3U);
  EXPECT_EQ(points[1].x, 4);
  EXPECT_EQ(points[1].y, 2.5) << "(3 * 2 + 4) / 4";
  EXPECT_EQ(points[1].weight, 4);
  EXPECT_EQ(points[1].within, 3 * 0.25 + 2.25);
  EXPECT_EQ(points[2].within, 0);
}

TEST(Series, EqualValuesHaveExactlyTheirMean) {
  EXPECT_EQ(weighted_mean({0.1, 0.1, 0.1}, {0.3, 0.7, 0.9}, {0, 3}), 0.1);
  EXPECT_EQ(weighted_mean({9, 1, 3}, {1, 1, 3}, {1, 3}), 2.5);
}

TEST(Series, BadOnesAreRefused) {
  const auto why = [](const auto& s, const auto& t, const auto& w, const auto& f) {
    return refusal([&] { require_series(s, t, w, f); });
  };
  const std::vector<Seconds> none;
  EXPECT_EQ(why(sizes, times, weights, times), "");
  EXPECT_THAT(why(sizes, none, weights, none), HasSubstr("4 sizes, but 0 times"));
  EXPECT_THAT(why(sizes, times, std::vector<double>{1}, none), HasSubstr("1 weights"));
  EXPECT_THAT(why(std::vector<Bytes>{{2}, {1}, {3}, {4}}, times, weights, none),
              HasSubstr("don't ascend"));
  EXPECT_THAT(why(sizes, times, std::vector<double>{1, 1, 0, 1}, none),
              HasSubstr("not a positive number"));
}

}  // namespace commgauge::series_test
