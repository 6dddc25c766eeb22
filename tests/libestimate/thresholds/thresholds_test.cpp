#include "commgauge/thresholds/thresholds.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "commgauge/base/error.hpp"
#include "samples.hpp"
#include "sweeps.hpp"

namespace commgauge {
namespace {

using testing::chance;
using ::testing::Contains;
using testing::doubling_sizes;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::jitter;
using testing::make_sweep;
using testing::normal;
using ::testing::Not;

using Random = std::mt19937_64;

constexpr std::uint64_t scatter_truth = 65536;

std::vector<Bytes> half_octaves() {
  std::vector<Bytes> sizes;
  for (const Bytes size : doubling_sizes(64, 1 << 19)) {
    sizes.push_back(size);
    sizes.push_back(Bytes{size.value * 3 / 2});
  }
  return sizes;
}

/// Leaps by 0.5 ms beyond 64 KiB, and steepens a little beyond 1 KiB.
Sweep scatter_sweep(const std::string& kind = "scatter", std::uint64_t seed = 3) {
  return make_sweep(kind, half_octaves(), 10, seed, [](Bytes size, Random& r) {
    const auto m = static_cast<double>(size.value);
    const double time = 50e-6 + 4e-9 * m + (size.value > 1024 ? 10e-6 : 0);
    return (time + (size.value > scatter_truth ? 500e-6 : 0)) * (1 + 0.01 * normal(r));
  });
}

/// Escalates by 200 ms at `rate` from 8 KiB to 64 KiB, and is steeper beyond.
Sweep gather_sweep(double rate = 0.5, int repetitions = 20, std::uint64_t seed = 5) {
  return make_sweep("gather", half_octaves(), repetitions, seed, [=](Bytes size, Random& r) {
    const auto m = static_cast<double>(size.value);
    const bool medium = size.value >= 8192 && size.value <= 65536;
    const double time = size.value > 65536 ? 1e-3 + 60e-9 * m : 1e-4 + 20e-9 * m;
    return time * (1 + 0.01 * std::abs(normal(r))) + (medium && chance(r, rate) ? 0.2 : 0);
  });
}

Sweep quiet_sweep(const std::string& kind, double factor = 1) {
  return make_sweep(kind, half_octaves(), 10, 9, [=](Bytes size, Random& r) {
    return factor * (1e-4 + 20e-9 * static_cast<double>(size.value)) * (1 + 0.01 * normal(r));
  });
}

Thresholds thresholds_of(std::vector<Sweep> sweeps, const ThresholdOptions& options = {}) {
  return find_thresholds(sweeps, options);
}

Measurements measured(std::vector<Sweep> sweeps, std::optional<std::uint64_t> eager_limit) {
  Measurements measurements;
  measurements.launches = {samples::launch(4)};
  measurements.launches[0].eager_limit_bytes = eager_limit;
  measurements.launches[0].eager_probed_bytes = eager_limit ? 1 << 20 : 0;
  measurements.sweeps = std::move(sweeps);
  return measurements;
}

TEST(Analysis, WideTimesAreWeighedRelatively) {
  EXPECT_EQ(analyse(scatter_sweep(), {}).weights, Weights::relative);
  const Sweep narrow = make_sweep("scatter", half_octaves(), 10, 1, [](Bytes size, Random& r) {
    return (1e-4 + 1e-10 * static_cast<double>(size.value)) * (1 + 0.01 * normal(r));
  });
  EXPECT_EQ(analyse(narrow, {}).weights, Weights::none);
  ThresholdOptions options;
  options.weights = Weights::none;
  EXPECT_EQ(analyse(scatter_sweep(), options).weights, Weights::none);
}

TEST(Analysis, EscalatedRepetitionsAreNoPartOfTheLines) {
  const SweepAnalysis analysis = analyse(gather_sweep(), {});
  ASSERT_TRUE(analysis.escalations.found);
  ASSERT_EQ(analysis.segmentation.breaks.size(), 1U);
  EXPECT_EQ(analysis.sweep.points[analysis.segmentation.breaks[0].last].size, Bytes{65536});
  EXPECT_NEAR(analysis.segmentation.segments[0].slope.value, 20e-9, 1e-9);
  EXPECT_NEAR(analysis.segmentation.segments[1].slope.value, 60e-9, 3e-9);
  EXPECT_THAT(analysis.warnings, Contains(HasSubstr("escalated repetitions of gather")));
}

TEST(Analysis, SizesWhereAllEscalateAreLeftOutAndPlacesStayThoseOfTheSweep) {
  Sweep sweep = gather_sweep();
  const auto all = std::ranges::find(sweep.points, Bytes{16384}, &SweepPoint::size);
  for (double& time : all->times_s) time = std::max(time, 0.2);
  const SweepAnalysis analysis = analyse(sweep, {});
  EXPECT_THAT(analysis.warnings, Contains(HasSubstr("all of theirs the sizes 16 KiB")));
  ASSERT_EQ(analysis.segmentation.breaks.size(), 1U);
  EXPECT_EQ(analysis.sweep.points[analysis.segmentation.breaks[0].last].size, Bytes{65536});
  EXPECT_EQ(analysis.segmentation.segments.back().last, sweep.points.size() - 1);
  EXPECT_NEAR(analysis.segmentation.segments[0].slope.value, 20e-9, 1e-9);
}

TEST(Analysis, SaysWhatTheLinesWereFittedTo) {
  Sweep sweep = gather_sweep();
  const auto all = std::ranges::find(sweep.points, Bytes{16384}, &SweepPoint::size);
  for (double& time : all->times_s) time = std::max(time, 0.2);
  const auto most = std::ranges::find(sweep.points, Bytes{32768}, &SweepPoint::size);
  for (std::size_t i = 0; i < 12; ++i) most->times_s[i] = std::max(most->times_s[i], 0.2);
  const SweepAnalysis analysis = analyse(sweep, {});
  const auto at = [&](auto point) {
    return analysis.fitted_s.at(static_cast<std::size_t>(point - sweep.points.begin()));
  };
  EXPECT_TRUE(std::isnan(at(all)));
  EXPECT_GT(most->time_s(), 0.1);
  EXPECT_NEAR(at(most), 1e-4 + 20e-9 * 32768, 3e-5);
  ASSERT_EQ(analysis.segmentation.segments.size(), 2U);
  const Segment& left = analysis.segmentation.segments[0];
  EXPECT_EQ(analysis.sizes_in(left), left.last - left.first);
  const Segment& right = analysis.segmentation.segments[1];
  EXPECT_EQ(analysis.sizes_in(right), right.last - right.first + 1);
}

/// Leaps by what the intervals may hide. 0.95: the level at which they are read.
Sweep with_intervals(double leap) {
  Sweep sweep = make_sweep("scatter", half_octaves(), 1, 1, [=](Bytes size, Random& r) {
    const double time = 1e-3 + 1e-10 * static_cast<double>(size.value) + 1e-6 * normal(r);
    return time + (size.value > 4096 ? leap : 0);
  });
  for (SweepPoint& point : sweep.points) {
    point.low_s = point.times_s[0] - 50e-6;
    point.high_s = point.times_s[0] + 50e-6;
  }
  return sweep;
}

TEST(Analysis, BreaksDoNotDependOnTheConfidence) {
  for (const double leap : {10e-6, 20e-6, 40e-6, 80e-6, 160e-6}) {
    Sweep repeated = scatter_sweep();
    for (SweepPoint& point : repeated.points) point.times_s.resize(4);
    for (const Sweep& sweep : {with_intervals(leap), repeated, scatter_sweep()}) {
      const auto breaks = [&](double confidence) {
        ThresholdOptions options;
        options.segmentation.confidence = confidence;
        std::vector<std::size_t> places;
        for (const Break& b : analyse(sweep, options).segmentation.breaks) places.push_back(b.last);
        return places;
      };
      const auto usual = breaks(0.95);
      for (const double confidence : {0.5, 0.8, 0.9, 0.99, 0.999}) {
        EXPECT_EQ(breaks(confidence), usual) << leap << " at " << confidence;
      }
    }
  }
}

TEST(Analysis, OneWildSizeDoesNotHideABreak) {
  Sweep sweep = scatter_sweep();
  Random random{1};
  for (double& time : sweep.points[2].times_s) time *= 1 + 5 * testing::uniform(random, 0, 1);
  const Thresholds found = thresholds_of({sweep});
  ASSERT_TRUE(found.scatter_break.size);
  EXPECT_EQ(found.scatter_break.size->value, scatter_truth);
}

TEST(Analysis, WarnsOfFewRepetitionsAndOfManyBreaks) {
  const auto few =
      analyse(make_sweep("scatter", half_octaves(), 3, 1,
                         [](Bytes size, Random& r) {
                           return 1e-4 + 1e-9 * static_cast<double>(size.value) + jitter(r, 1e-6);
                         }),
              {});
  EXPECT_THAT(few.warnings, Contains(HasSubstr("fewer than five repetitions")));
  ThresholdOptions options;
  options.segmentation.most_breaks = 1;
  EXPECT_THAT(analyse(scatter_sweep(), options).warnings,
              Contains(HasSubstr("as many breaks as were allowed (1)")));
  EXPECT_THAT(analyse(quiet_sweep("scatter"), {}).warnings, IsEmpty());
}

TEST(Analysis, TooFewSizesAreRefused) {
  Sweep sweep = quiet_sweep("scatter");
  sweep.points.resize(2);
  EXPECT_THROW((void)analyse(sweep, {}), FitError);
  EXPECT_THROW((void)analyse(Sweep{}, {}), FitError);
  EXPECT_THROW((void)thresholds_of({}), FitError);
}

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

TEST(Thresholds, TheLibrarysOwnWhereTheFlatOneIsMissing) {
  const Thresholds library = thresholds_of({scatter_sweep("scatter_library")});
  EXPECT_EQ(library.scatter_break.size, Bytes{scatter_truth});
  EXPECT_THAT(library.warnings, Contains(HasSubstr("MPI library's own")));
  const Thresholds both = thresholds_of({quiet_sweep("scatter_library"), scatter_sweep()});
  EXPECT_EQ(both.scatter_break.size, Bytes{scatter_truth});
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
  EXPECT_THAT(found.warnings, Contains(reason));

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
  EXPECT_THAT(found.warnings, Not(Contains(HasSubstr("another cause"))));
}

TEST(Thresholds, AnEagerLimitElsewhereIsSaid) {
  const Thresholds found = find_thresholds(measured({scatter_sweep()}, 8192), {});
  EXPECT_EQ(found.eager_limit.size, Bytes{8192});
  EXPECT_THAT(found.warnings, Contains(HasSubstr("the break has another cause")));
  const Thresholds beyond = find_thresholds(measured({scatter_sweep()}, 1 << 30), {});
  EXPECT_THAT(beyond.warnings, Not(Contains(HasSubstr("another cause"))));
}

TEST(Thresholds, EagerLimitAloneOrNothing) {
  EXPECT_EQ(find_thresholds(measured({}, 8192), {}).eager_limit.size, Bytes{8192});
  EXPECT_THROW((void)find_thresholds(measured({}, std::nullopt), {}), FitError);
  EXPECT_EQ(find_thresholds(measured({scatter_sweep()}, std::nullopt), {}).eager_limit.reason,
            "not probed");
}

/// Launches with a limit and the largest size probed.
using Probes = std::vector<std::pair<std::optional<std::uint64_t>, std::optional<std::uint64_t>>>;

Thresholds probed(const Probes& probes) {
  Measurements measurements = measured({scatter_sweep()}, std::nullopt);
  measurements.launches.clear();
  for (const auto& [limit, largest] : probes) {
    measurements.launches.push_back(samples::launch(4));
    measurements.launches.back().eager_limit_bytes = limit;
    measurements.launches.back().eager_probed_bytes = largest;
  }
  return find_thresholds(measurements, {});
}

void expect_limit(const Threshold& limit, std::optional<Bytes> size, std::optional<Bytes> low,
                  std::optional<Bytes> high, const std::string& reason) {
  EXPECT_EQ(limit.size, size);
  EXPECT_EQ(limit.low, low);
  EXPECT_EQ(limit.high, high);
  EXPECT_EQ(limit.reason, reason);
}

TEST(EagerLimit, HoldsWhatTheLaunchesFound) {
  const Thresholds found = probed({{65536, 1 << 20}, {8192, 1 << 20}, {16384, 1 << 20}});
  expect_limit(found.eager_limit, Bytes{8192}, Bytes{8192}, Bytes{65537}, "");
  EXPECT_THAT(found.warnings, Contains(HasSubstr("disagree about the eager limit")));
  // Scatter breaks where one of them says.
  EXPECT_THAT(found.warnings, Not(Contains(HasSubstr("another cause"))));
}

TEST(EagerLimit, IsOpenWhereALaunchFoundNone) {
  const Thresholds found = probed({{65536, 1 << 20}, {std::nullopt, 32768}});
  expect_limit(found.eager_limit, Bytes{65536}, Bytes{32768}, std::nullopt,
               "in 1 of 2 launches messages of all probed sizes are eager (up to 32 KiB)");
  EXPECT_THAT(found.warnings, Contains(HasSubstr("disagree about the eager limit")));
}

TEST(EagerLimit, OfTheUserHasNoInterval) {
  const Thresholds found = probed({{8192, 0}, {8192, 0}});
  expect_limit(found.eager_limit, Bytes{8192}, {}, {}, "given, not probed");
  EXPECT_THAT(found.warnings, Contains(HasSubstr("or the limit is another (given, not probed)")));
  expect_limit(probed({{8192, 0}, {8192, 1 << 20}}).eager_limit, Bytes{8192}, {}, {},
               "in some launches given, not probed");
}

TEST(EagerLimit, OfAnOldFileHasNoInterval) {
  expect_limit(probed({{8192, {}}}).eager_limit, Bytes{8192}, {}, {},
               "not known to be probed (a file of an older version does not say)");
  EXPECT_THAT(probed({{{}, {}}}).eager_limit.reason,
              HasSubstr("messages of all probed sizes are eager, or it was not probed"));
}

TEST(EagerLimit, NotProbedIsNotAllEager) {
  expect_limit(probed({{{}, 0}}).eager_limit, {}, {}, {}, "not probed");
  expect_limit(probed({{{}, 1 << 20}, {{}, 65536}}).eager_limit, {}, {}, {},
               "messages of all probed sizes are eager (up to 64 KiB)");
  expect_limit(probed({{{}, 0}, {8192, 1 << 20}}).eager_limit, Bytes{8192}, Bytes{8192},
               Bytes{8193}, "");
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
  EXPECT_THAT(found.warnings, Contains(HasSubstr("disagree about the eager limit")));
  EXPECT_THAT(found.warnings, Contains(HasSubstr("sweeps of scatter from 2 launches are joined")));
  EXPECT_EQ(found.sweeps[0].launches, (std::vector{0, 1}));

  measurements.sweeps[1].points.pop_back();
  EXPECT_THAT(find_thresholds(measurements, {}).warnings, Contains(HasSubstr("different sizes")));
}

TEST(Thresholds, ABreakWithoutAnUpperEndSaysWhy) {
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

TEST(Thresholds, WarnOfLateRepetitionsAndOfSizesLeftOut) {
  Measurements measurements = measured({quiet_sweep("scatter"), quiet_sweep("gather")}, 65536);
  const auto repetitions = static_cast<double>(20 * half_octaves().size());
  auto& options = measurements.launches[0].options;
  const auto warned_of = [&](const std::string& text) {
    const std::vector<std::string> warnings = find_thresholds(measurements, {}).warnings;
    return std::ranges::any_of(warnings, [&](const std::string& warning) {
      return warning.find(text) != std::string::npos;
    });
  };
  EXPECT_FALSE(warned_of("started late"));
  options["sweep_late"] = std::to_string(std::lround(0.09 * repetitions));
  EXPECT_FALSE(warned_of("started late"));
  options["sweep_late"] = std::to_string(std::lround(0.25 * repetitions));
  EXPECT_TRUE(warned_of("in 25 % of the sweeps' repetitions a rank started late"));
  EXPECT_FALSE(warned_of("the sweeps stop"));
  options["sweep_limited"] = "stop at 1 KiB";
  EXPECT_TRUE(warned_of("the sweeps stop at 1 KiB"));
}

TEST(Thresholds, SayWhichSweepTheyAreOf) {
  Measurements measurements = measured({scatter_sweep(), quiet_sweep("gather_library")}, 65536);
  measurements.launches[0].options["timing"] = "root";
  for (Sweep& sweep : measurements.sweeps) sweep.root = 2;
  const Thresholds found = find_thresholds(measurements, {});
  ASSERT_TRUE(found.scatter_sweep && found.gather_sweep);
  EXPECT_EQ(found.scatter_sweep->algorithm, "flat");
  EXPECT_EQ(found.scatter_sweep->timing, "root");
  EXPECT_EQ(found.scatter_sweep->root, 2);
  EXPECT_EQ(found.scatter_sweep->launches, (std::vector{0}));
  EXPECT_EQ(found.gather_sweep->algorithm, "library");
  EXPECT_THAT(found.warnings, Not(Contains(HasSubstr("joined"))));

  const Thresholds csv = thresholds_of({scatter_sweep()});
  ASSERT_TRUE(csv.scatter_sweep);
  EXPECT_EQ(csv.scatter_sweep->root, std::nullopt);
  EXPECT_FALSE(csv.gather_sweep);
}

TEST(Thresholds, OtherRootsAndTimingsAreNotJoinedAndNamed) {
  Measurements measurements = measured({scatter_sweep(), scatter_sweep(), scatter_sweep()}, 65536);
  measurements.launches.push_back(measurements.launches.front());
  measurements.launches[0].options["timing"] = "global";
  measurements.launches[1].options["timing"] = "root";
  measurements.sweeps[1].root = 3;
  measurements.sweeps[2].launch = 1;
  const Thresholds found = find_thresholds(measurements, {});
  EXPECT_EQ(found.sweeps.size(), 3U);
  EXPECT_EQ(found.scatter_sweep->root, 0);
  EXPECT_THAT(found.warnings,
              Contains("the thresholds of scatter are those of root 0, timing global: it was swept "
                       "as well with root 3, timing global; root 0, timing root"));
}

}  // namespace
}  // namespace commgauge
