#include "thresholds/breaks/scatter_break.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "threshold_sweeps.hpp"

namespace commgauge::scatter_break_test {

using ::testing::HasSubstr;
using testing::normal;
using testing::quiet_sweep;
using testing::scatter_sweep;
using testing::thresholds_of;

using Random = std::mt19937_64;

TEST(DecisiveScatterBreak, IsOneThatNoNoiseExplains) {
  Thresholds clear = thresholds_of({scatter_sweep()});
  for (Break& b : clear.sweeps[0].segmentation.breaks) b.low = b.last - 1;
  EXPECT_EQ(decisive_scatter_break(clear, Bytes{1024}), std::nullopt);
  EXPECT_EQ(decisive_scatter_break(clear, Bytes{4096}), Bytes{768}) << "the lower end";
  // What leaps by 10 us after 1 KiB is nothing beside the milliseconds of 1 MiB.
  EXPECT_EQ(decisive_scatter_break(clear, Bytes{1 << 20}), Bytes{49152});

  int breaks = 0;
  int decisive = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Random speeds{seed};
    Sweep crowded = quiet_sweep("scatter");
    for (SweepPoint& point : crowded.points) {
      const double arrangement = std::exp(0.6 * normal(speeds));
      for (double& time : point.times_s) time *= arrangement;
    }
    const Thresholds thresholds = thresholds_of({crowded});
    breaks += thresholds.scatter_break.size ? 1 : 0;
    decisive += decisive_scatter_break(thresholds, Bytes{8192}) ? 1 : 0;
  }
  EXPECT_GT(breaks, 10) << "too tame to show anything";
  EXPECT_LE(decisive, 2);
}

TEST(ThresholdOfABreak, WithoutAnUpperEndSaysWhy) {
  const Sweep sweep = quiet_sweep("scatter");
  const std::size_t last = sweep.points.size() - 1;
  const Break closed{5, 3, 8, ""};
  EXPECT_EQ(threshold_of(closed, sweep).size, sweep.points[5].size);
  EXPECT_EQ(threshold_of(closed, sweep).low, sweep.points[3].size);
  EXPECT_EQ(threshold_of(closed, sweep).high, sweep.points[9].size);
  EXPECT_EQ(threshold_of(closed, sweep).reason, "");
  const Threshold open = threshold_of({5, 3, last, ""}, sweep);
  EXPECT_EQ(open.low, sweep.points[3].size);
  EXPECT_FALSE(open.high);
  EXPECT_THAT(open.reason, HasSubstr("measure larger ones"));
  const Threshold unknown = threshold_of({5, {}, {}, "made up"}, sweep);
  EXPECT_FALSE(unknown.low || unknown.high);
  EXPECT_EQ(unknown.reason, "made up");
}

/// Times of 10 us, 20 us from 5 bytes and 120 us from 9 bytes on: the second step is the larger.
SweepAnalysis two_steps() {
  Sweep sweep;
  sweep.kind = "scatter";
  for (std::uint64_t size = 1; size <= 12; ++size) {
    const double noise = (size % 2 == 0 ? 1 : -1) * 1e-8;
    const double step = size > 8 ? 110e-6 : size > 4 ? 10e-6 : 0;
    sweep.points.push_back({Bytes{size}, {10e-6 + step + noise}});
  }
  ThresholdOptions options;
  options.weights = Weights::none;
  options.segmentation.breaks = 2;
  return analyse(sweep, options);
}

TEST(ScatterBreak, IsTheBreakThatMattersMost) {
  const SweepAnalysis analysis = two_steps();
  ASSERT_EQ(analysis.segmentation.breaks.size(), 2U);
  EXPECT_EQ(analysis.segmentation.breaks[0].last, 3U);
  EXPECT_EQ(scatter_break(analysis, 0.95).size, Bytes{8});
}

TEST(ScatterBreak, IsNoneForAReason) {
  SweepAnalysis analysis = two_steps();
  analysis.segmentation.breaks.clear();
  EXPECT_EQ(scatter_break(analysis, 0.95).reason, "one line explains all sizes");
  analysis.disputed = {{Bytes{8}, 4, 15}};
  EXPECT_EQ(scatter_break(analysis, 0.95).reason,
            "not agreed on by the passes, after 8 B (4 of 15 show it)");
  analysis.reason = "too few sizes";
  EXPECT_EQ(scatter_break(analysis, 0.95).reason, "too few sizes");
}

}  // namespace commgauge::scatter_break_test
