#include "segmentation/break_intervals.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace commgauge::break_intervals_test {

using ::testing::HasSubstr;

/// Each size three times, by 1 up and down around the times; a break after each of these sizes.
class Intervals {
 public:
  Intervals(const std::vector<double>& times, const std::vector<std::size_t>& last_sizes,
            std::optional<BreakVariance> variance = {}, double noise = 1) {
    std::vector<Bytes> sizes;
    std::vector<Seconds> seconds;
    for (std::size_t i = 0; i < times.size(); ++i) {
      for (const double off : {-noise, 0.0, noise}) {
        sizes.push_back({i + 1});
        seconds.push_back({times[i] + off});
      }
    }
    options_.break_variance = variance;
    series_ = as_numbers(sizes, seconds, {}, {});
    starts_ = starts_of_sizes(series_);
    std::size_t first = 0;
    for (const std::size_t last : last_sizes) {
      ranges_.push_back({first, 3 * (last + 1)});
      first = 3 * (last + 1);
    }
    ranges_.push_back({first, series_.count()});
    for (const auto range : ranges_) lines_.push_back(fit_line(series_, range));
  }
  [[nodiscard]] Break of(std::size_t i) const {
    return BreakIntervals(series_, starts_, options_, ranges_, lines_).interval(i);
  }

 private:
  SegmentationOptions options_;
  ObservedSeries series_;
  Starts starts_;
  std::vector<ObservationRange> ranges_;
  std::vector<FittedLine> lines_;
};

const std::vector<double> clear{0, 0, 0, 0, 90, 90, 90, 90, 0, 0, 0, 0};

TEST(BreakIntervals, HoldWholeSizes) {
  const Intervals intervals(clear, {3, 7});
  for (const std::size_t i : {0U, 1U}) {
    const Break found = intervals.of(i);
    EXPECT_EQ(found.last, 11U + 12 * i) << "the last observation of its size";
    EXPECT_EQ(found.low, 9U + 12 * i) << "the first one";
    EXPECT_EQ(found.high, 11U + 12 * i);
    EXPECT_EQ(found.no_interval, "");
  }
}

TEST(BreakIntervals, OfBaiHoldWholeSizes) {
  for (const auto variance : {BreakVariance::equal, BreakVariance::by_segment}) {
    const Break found = Intervals(clear, {3, 7}, variance).of(0);
    EXPECT_EQ(found.low, 9U);
    EXPECT_EQ(found.high, 14U) << "one observation up, and the rest of its size";
  }
}

TEST(BreakIntervals, AreNoneBetweenEqualLines) {
  const std::vector<double> flat(8, 5.0);
  for (const auto variance :
       {std::optional<BreakVariance>{}, std::optional(BreakVariance::equal)}) {
    const Break found = Intervals(flat, {3}, variance, 0).of(0);
    EXPECT_FALSE(found.low || found.high);
    EXPECT_THAT(found.no_interval, HasSubstr("the same"));
  }
}

}  // namespace commgauge::break_intervals_test
