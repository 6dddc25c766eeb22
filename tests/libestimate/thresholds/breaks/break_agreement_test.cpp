#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "adaptive_sweeps.hpp"
#include "commgauge/thresholds/thresholds.hpp"
#include "samples.hpp"
#include "sweeps.hpp"

// A break counts where the passes of its sweep agree on it.

namespace commgauge::break_agreement_test {

using ::testing::Contains;
using testing::doubling_sizes;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::make_sweep_in_passes;
using testing::normal;
using testing::without_passes;

using Random = std::mt19937_64;

constexpr int passes = 15;

/// Leaps beyond 4 KiB by `jump` of its time.
testing::Clock leaping(double jump, double noise = 0.01) {
  return [=](Bytes size, Random& random) {
    const double line = 20e-6 + 1e-9 * static_cast<double>(size.value);
    return line * (1 + (size.value > 4096 ? jump : 0) + noise * normal(random));
  };
}

Sweep leap(double jump, std::uint64_t seed = 1, double noise = 0.01) {
  return make_sweep_in_passes("scatter", doubling_sizes(1, 1 << 20), passes, seed,
                              leaping(jump, noise));
}

std::vector<std::uint64_t> breaks_of(const SweepAnalysis& analysis) {
  std::vector<std::uint64_t> sizes;
  for (const Break& at : analysis.segmentation.breaks) {
    sizes.push_back(analysis.sweep.points[at.last].size.value);
  }
  return sizes;
}

TEST(BreakAgreement, WhatPassesShowStays) {
  const SweepAnalysis analysis = analyse(leap(0.1), {});
  EXPECT_EQ(breaks_of(analysis), (std::vector<std::uint64_t>{4096}));
  EXPECT_THAT(analysis.disputed, IsEmpty());
}

/// Without any noise each pass says exactly the same.
TEST(BreakAgreement, WithoutNoise) {
  EXPECT_EQ(breaks_of(analyse(leap(0.1, 1, 0), {})), (std::vector<std::uint64_t>{4096}));
}

/// The larger sizes were measured later, when the machine was slower: a leap that no pass shows.
Sweep slower_when_larger(double slower) {
  Sweep sweep = make_sweep_in_passes("scatter", doubling_sizes(1, 4096), passes, 1, leaping(0));
  const Sweep later =
      make_sweep_in_passes("scatter", doubling_sizes(2048, 1 << 20), passes, 2, leaping(0));
  for (const SweepPoint& point : later.points) {
    if (point.size.value <= 4096) continue;
    std::vector<double> times = point.times_s;
    for (double& time : times) time *= 1 + slower;
    std::vector<int> numbers = point.passes;
    for (int& number : numbers) number += passes;
    add_times(sweep, point.size, times, numbers);
  }
  // Both rounds saw a few sizes of the other, at their own speed.
  for (const std::uint64_t size : {1024U, 2048U, 4096U, 8192U, 16384U, 32768U}) {
    const bool is_small = size <= 4096;
    const Sweep other = make_sweep_in_passes("scatter", {Bytes{size}}, passes, size,
                                             leaping(is_small ? slower : 0));
    std::vector<double> times = other.points.front().times_s;
    for (double& time : times) time *= is_small ? 1 + slower : 1;
    std::vector<int> numbers = other.points.front().passes;
    for (int& number : numbers) number += is_small ? passes : 0;
    add_times(sweep, Bytes{size}, times, numbers);
  }
  return sweep;
}

/// Sizes measured in a later round, when the machine had another speed, look like breaks.
TEST(BreakAgreement, AnotherSpeedInALaterRoundIsNoBreak) {
  const Sweep sweep = slower_when_larger(0.2);
  ASSERT_THAT(breaks_of(analyse(without_passes(sweep), {})), ::testing::Not(IsEmpty()));
  const SweepAnalysis analysis = analyse(sweep, {});
  EXPECT_THAT(breaks_of(analysis), IsEmpty());
  ASSERT_FALSE(analysis.disputed.empty());
  EXPECT_LT(analysis.disputed.front().show, analysis.disputed.front().asked);
  const DisputedBreak& disputed = analysis.disputed.front();
  EXPECT_THAT(
      analysis.warnings,
      Contains(Diagnostic{.kind = "disputed_break",
                          .problem = "a break of scatter is not agreed on by the passes, after " +
                                     to_text(disputed.after),
                          .reason = std::to_string(disputed.show) + " of " +
                                    std::to_string(disputed.asked) + " show it",
                          .advice = "left out"}));
  EXPECT_EQ(analysis.segmentation.segments.size(), 1U);
  const Thresholds found = find_thresholds(std::vector{sweep}, {});
  EXPECT_FALSE(found.scatter_break.size);
  EXPECT_THAT(found.scatter_break.reason, HasSubstr("not agreed on by the passes"));
}

/// Who asks for a number of breaks gets it, and a warning.
TEST(BreakAgreement, AGivenNumberIsKept) {
  ThresholdOptions options;
  options.segmentation.breaks = 1;
  const SweepAnalysis analysis = analyse(slower_when_larger(0.2), options);
  EXPECT_EQ(analysis.segmentation.breaks.size(), 1U);
  EXPECT_THAT(analysis.warnings,
              Contains(::testing::Field(&Diagnostic::advice, "it may be chance")));
}

/// A third of the passes lost their core at one size each: the others know.
TEST(BreakAgreement, SpikesOutvoteNobody) {
  Sweep sweep = leap(0.1);
  for (std::size_t pass = 0; pass < 5; ++pass) sweep.points[3 * pass].times_s[pass] += 8e-3;
  EXPECT_EQ(breaks_of(analyse(sweep, {})), (std::vector<std::uint64_t>{4096}));
}

/// Each launch is asked for itself: their passes have numbers of their own.
TEST(BreakAgreement, OfSeveralLaunches) {
  Measurements measurements;
  for (int launch = 0; launch < 5; ++launch) {
    measurements.launches.push_back(samples::launch(4));
    measurements.sweeps.push_back(leap(0.1, static_cast<std::uint64_t>(launch + 1)));
    measurements.sweeps.back().launch = launch;
  }
  const Thresholds found = find_thresholds(measurements, {});
  ASSERT_TRUE(found.scatter_break.size);
  EXPECT_EQ(found.scatter_break.size->value, 4096U);
  EXPECT_THAT(found.sweeps.front().disputed, IsEmpty());
}

/// Without a trouble no power is lost to speak of, and drift invents hardly anything.
TEST(BreakAgreement, PowerAndFalseAlarms) {
  using testing::count_breaks;
  using testing::Trouble;
  constexpr int series = 40;
  const auto before = count_breaks({2, Trouble::none, false}, series);
  const auto after = count_breaks({2, Trouble::none, true}, series);
  EXPECT_GE(after.right, before.right - 2);
  EXPECT_LE(count_breaks({0, Trouble::none, true}, series).wrong, 2);
  const auto drifting = count_breaks({0, Trouble::drift, false}, series);
  const auto asked = count_breaks({0, Trouble::drift, true}, series);
  EXPECT_LE(asked.wrong, drifting.wrong);
}

}  // namespace commgauge::break_agreement_test
