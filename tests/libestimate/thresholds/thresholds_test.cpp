#include "commgauge/thresholds/thresholds.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "commgauge/base/error.hpp"
#include "samples.hpp"
#include "threshold_sweeps.hpp"

namespace commgauge::thresholds_test {

using ::testing::Contains;
using ::testing::EndsWith;
using testing::gather_sweep;
using testing::half_octaves;
using ::testing::HasSubstr;
using testing::measured;
using ::testing::Not;
using testing::quiet_sweep;
using testing::scatter_sweep;
using testing::scatter_truth;
using testing::thresholds_of;

auto kind(const char* kind) { return ::testing::Field("kind", &Diagnostic::kind, kind); }

TEST(Thresholds, ScattersBreakIsTheLargestOne) {
  const Thresholds found = thresholds_of({scatter_sweep()});
  EXPECT_GE(found.sweeps[0].segmentation.breaks.size(), 2U);
  ASSERT_TRUE(found.scatter_break.size && found.scatter_break.low && found.scatter_break.high);
  EXPECT_EQ(found.scatter_break.size->value, scatter_truth);
  EXPECT_LE(found.scatter_break.low->value, scatter_truth);
  EXPECT_GT(found.scatter_break.high->value, scatter_truth);
  EXPECT_EQ(found.scatter_break.reason, "");
  EXPECT_FALSE(found.gather_m1.size);
  EXPECT_EQ(found.gather_m1.reason, "gather was not swept");
  EXPECT_EQ(found.eager_limit.reason, "not probed");
}

TEST(Thresholds, IntervalsOfScattersBreakHold) {
  constexpr int runs = 100;
  int held = 0;
  for (int run = 0; run < runs; ++run) {
    const auto found = thresholds_of({scatter_sweep("scatter", static_cast<std::uint64_t>(run))});
    const Threshold& s = found.scatter_break;
    held += s.low && s.low->value <= scatter_truth && s.high && s.high->value > scatter_truth;
  }
  EXPECT_GE(held, 0.95 * runs);
}

TEST(Thresholds, NoBreakIsInvented) {
  const Thresholds found = thresholds_of({quiet_sweep("scatter"), quiet_sweep("gather")});
  EXPECT_FALSE(found.scatter_break.size);
  EXPECT_EQ(found.scatter_break.reason, "one line explains all sizes");
  EXPECT_FALSE(found.gather_m1.size);
  EXPECT_FALSE(found.gather_m2.size);
  EXPECT_THAT(found.gather_m1.reason, HasSubstr("no escalations"));
}

TEST(Thresholds, GathersEscalationsLieBetweenM1AndM2) {
  const Thresholds found = thresholds_of({gather_sweep()});
  ASSERT_TRUE(found.gather_m1.size && found.gather_m1.low && found.gather_m1.high);
  EXPECT_EQ(*found.gather_m1.size, Bytes{6144});
  EXPECT_LE(*found.gather_m1.low, Bytes{6144});
  EXPECT_GE(*found.gather_m1.high, Bytes{8192});
  ASSERT_TRUE(found.gather_m2.size && found.gather_m2.low && found.gather_m2.high);
  EXPECT_EQ(*found.gather_m2.size, Bytes{65536});
  EXPECT_LE(*found.gather_m2.low, Bytes{65536});
  EXPECT_GT(*found.gather_m2.high, Bytes{65536});
}

TEST(Thresholds, EscalationsAtTheEndsLeaveOneOpen) {
  Sweep head = gather_sweep();
  std::erase_if(head.points, [](const SweepPoint& point) { return point.size.value > 65536; });
  Thresholds found = thresholds_of({head});
  EXPECT_TRUE(found.gather_m1.size);
  EXPECT_FALSE(found.gather_m2.size);
  EXPECT_THAT(found.gather_m2.reason, HasSubstr("the largest size measured (64 KiB)"));

  Sweep tail = gather_sweep();
  std::erase_if(tail.points, [](const SweepPoint& point) { return point.size.value < 8192; });
  found = thresholds_of({tail});
  EXPECT_FALSE(found.gather_m1.size);
  EXPECT_THAT(found.gather_m1.reason, HasSubstr("from the smallest size on"));
  EXPECT_TRUE(found.gather_m2.size);
}

TEST(Thresholds, MediansAloneShowNoEscalations) {
  const Thresholds found = thresholds_of({testing::single_times(gather_sweep(0))});
  EXPECT_FALSE(found.gather_m1.size);
  EXPECT_THAT(found.gather_m1.reason, HasSubstr("every size has a single time"));
}

TEST(Thresholds, AShortSweepKeepsItsReasonAndSparesTheOthers) {
  Sweep two = gather_sweep();
  two.points.resize(2);
  const Thresholds found = thresholds_of({scatter_sweep(), two});
  EXPECT_EQ(found.scatter_break.size, Bytes{scatter_truth});
  ASSERT_EQ(found.sweeps.size(), 2U);
  const std::string reason = "gather was swept at 2 sizes only (a line takes 3): measure more";
  EXPECT_EQ(found.sweeps[1].reason, reason);
  EXPECT_EQ(found.sweeps[1].sweep.points.size(), 2U);
  EXPECT_EQ(found.gather_m1.reason, reason);
  EXPECT_EQ(found.gather_m2.reason, reason);
  EXPECT_THAT(found.warnings, Contains(Diagnostic{.kind = "too_few_sizes",
                                                  .count = 2,
                                                  .problem = "gather was swept at 2 sizes only",
                                                  .reason = "a line takes 3",
                                                  .advice = "measure more"}));

  Sweep none = scatter_sweep();
  none.points.clear();
  EXPECT_THAT(thresholds_of({none, gather_sweep()}).scatter_break.reason,
              HasSubstr("scatter was swept at 0 sizes only"));
  EXPECT_TRUE(thresholds_of({none, gather_sweep()}).gather_m1.size);
}

TEST(Thresholds, TimesThatCannotBeComputedWithSpareTheOtherSweeps) {
  Sweep tiny = gather_sweep(0);
  for (SweepPoint& point : tiny.points) {
    for (double& time : point.times_s) time *= 1e-200;
  }
  const Thresholds found = thresholds_of({tiny, scatter_sweep()});
  EXPECT_EQ(found.scatter_break.size, Bytes{scatter_truth});
  EXPECT_THAT(found.sweeps[0].reason, HasSubstr("gather: a time is so short that 1/time^2"));
}

TEST(Thresholds, WithMoreBreaksThanSizesTheEscalationsStay) {
  ThresholdOptions options;
  options.segmentation.breaks = 20;
  const Thresholds found = thresholds_of({gather_sweep()}, options);
  EXPECT_THAT(found.sweeps[0].reason, HasSubstr("gather: no partition with 20 breaks"));
  EXPECT_EQ(found.warnings[0], (Diagnostic{.kind = "no_lines", .problem = found.sweeps[0].reason}));
  EXPECT_EQ(found.gather_m2.size, Bytes{65536});
}

TEST(Thresholds, OptionsOutOfRangeAreRefused) {
  ThresholdOptions options;
  options.segmentation.confidence = 1;
  EXPECT_THROW((void)thresholds_of({scatter_sweep()}, options), InputError);
}

TEST(Thresholds, EagerLimitIsExact) {
  const Thresholds found = find_thresholds(measured({scatter_sweep()}, 65536), {});
  EXPECT_EQ(found.eager_limit.size, Bytes{65536});
  EXPECT_EQ(found.eager_limit.low, Bytes{65536});
  EXPECT_EQ(found.eager_limit.high, Bytes{65537});
  EXPECT_EQ(found.launches.size(), 1U);
  EXPECT_THAT(found.warnings, Not(Contains(kind("break_not_at_eager_limit"))));
}

TEST(Thresholds, AnEagerLimitElsewhereIsSaid) {
  const Thresholds found = find_thresholds(measured({scatter_sweep()}, 8192), {});
  EXPECT_EQ(found.eager_limit.size, Bytes{8192});
  const auto one = std::ranges::find(found.warnings, "break_not_at_eager_limit", &Diagnostic::kind);
  ASSERT_NE(one, found.warnings.end());
  EXPECT_THAT(one->problem, EndsWith(", not at the eager limit of point-to-point messages"));
  EXPECT_EQ(one->reason, "8 KiB");
  EXPECT_EQ(one->advice, "the limit was probed, the break has another cause");
  const Thresholds beyond = find_thresholds(measured({scatter_sweep()}, 1 << 30), {});
  EXPECT_THAT(beyond.warnings, Not(Contains(kind("break_not_at_eager_limit"))));
}

TEST(Thresholds, EagerLimitAloneOrNothing) {
  EXPECT_EQ(find_thresholds(measured({}, 8192), {}).eager_limit.size, Bytes{8192});
  EXPECT_THROW((void)find_thresholds(measured({}, std::nullopt), {}), FitError);
  EXPECT_EQ(find_thresholds(measured({scatter_sweep()}, std::nullopt), {}).eager_limit.reason,
            "not probed");
}

TEST(Thresholds, LaunchesAreJoined) {
  Sweep second = scatter_sweep("scatter", 4);
  second.launch = 1;
  Measurements measurements = measured({scatter_sweep(), second}, 65536);
  measurements.launches.push_back(measurements.launches.front());
  measurements.launches.back().eager_limit_bytes = 32768;
  const Thresholds found = find_thresholds(measurements, {});
  ASSERT_EQ(found.sweeps.size(), 1U);
  EXPECT_EQ(found.sweeps[0].sweep.points[0].times_s.size(), 20U);
  EXPECT_EQ(found.eager_limit.size, Bytes{32768});
  EXPECT_THAT(found.warnings, Contains(kind("eager_limits_differ")));
  EXPECT_THAT(found.warnings, Contains(kind("joined_launches")));
  EXPECT_EQ(found.sweeps[0].launches, (std::vector{0, 1}));

  measurements.sweeps[1].points.pop_back();
  EXPECT_THAT(find_thresholds(measurements, {}).warnings,
              Contains(kind("swept_at_different_sizes")));
}

}  // namespace commgauge::thresholds_test
