#include "thresholds/sweep_analysis.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "commgauge/base/error.hpp"
#include "threshold_sweeps.hpp"

namespace commgauge::sweep_analysis_test {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using testing::gather_sweep;
using testing::half_octaves;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::jitter;
using testing::make_sweep;
using testing::normal;
using testing::quiet_sweep;
using testing::scatter_sweep;
using testing::scatter_truth;
using testing::thresholds_of;

using Random = std::mt19937_64;

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
  ASSERT_EQ(analysis.warnings.size(), 1U);
  EXPECT_EQ(analysis.warnings[0].kind, "escalated_repetitions");
  EXPECT_EQ(analysis.warnings[0].text(),
            "escalated repetitions of gather are left out of its segments (8 KiB to 64 KiB)");
}

TEST(Analysis, SizesWhereAllEscalateAreLeftOutAndPlacesStayThoseOfTheSweep) {
  Sweep sweep = gather_sweep();
  const auto all = std::ranges::find(sweep.points, Bytes{16384}, &SweepPoint::size);
  for (double& time : all->times_s) time = std::max(time, 0.2);
  const SweepAnalysis analysis = analyse(sweep, {});
  ASSERT_EQ(analysis.warnings.size(), 1U);
  EXPECT_EQ(analysis.warnings[0].kind, "escalated_repetitions");
  EXPECT_THAT(analysis.warnings[0].text(), EndsWith("), and with all of theirs the sizes 16 KiB"));
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
  const std::string sizes = std::to_string(half_octaves().size());
  EXPECT_THAT(few.warnings, ElementsAre(Diagnostic{.kind = "few_repetitions",
                                                   .count = std::ssize(half_octaves()),
                                                   .problem = sizes + " of " + sizes +
                                                              " sizes of scatter have "
                                                              "fewer than five repetitions",
                                                   .advice = "their noise is a guess"}));
  ThresholdOptions options;
  options.segmentation.most_breaks = 1;
  EXPECT_THAT(analyse(scatter_sweep(), options).warnings,
              Contains(Diagnostic{.kind = "as_many_breaks_as_allowed",
                                  .count = 1,
                                  .problem = "scatter has as many breaks as were allowed",
                                  .reason = "1",
                                  .advice = "it may have more, or no straight segments"}));
  EXPECT_THAT(analyse(quiet_sweep("scatter"), {}).warnings, IsEmpty());
}

TEST(Analysis, TooFewSizesAreRefused) {
  Sweep sweep = quiet_sweep("scatter");
  sweep.points.resize(2);
  EXPECT_THROW((void)analyse(sweep, {}), FitError);
  EXPECT_THROW((void)analyse(Sweep{}, {}), FitError);
  EXPECT_THROW((void)thresholds_of({}), FitError);
}

TEST(Analysis, WithoutLinesHasItsReason) {
  Sweep two = quiet_sweep("gather");
  two.points.resize(2);
  const SweepAnalysis analysis = analyse_if_possible(two, {}, {});
  EXPECT_EQ(analysis.reason, "gather was swept at 2 sizes only (a line takes 3): measure more");
  EXPECT_THAT(texts_of(analysis.warnings), ElementsAre(analysis.reason));
  EXPECT_EQ(analysis.warnings[0].kind, "too_few_sizes");
  EXPECT_EQ(analysis.fitted_s.size(), 2U);
  EXPECT_TRUE(std::isnan(analysis.fitted_s[0]) && std::isnan(analysis.segmentation.rss));
  EXPECT_FALSE(analysis.escalations.found);
  EXPECT_EQ(analysis.escalations.reason, analysis.reason);
}

TEST(Analysis, NamesASeriesWithoutAKind) {
  EXPECT_EQ(name_of(quiet_sweep("gather")), "gather");
  EXPECT_EQ(name_of(quiet_sweep("")), "the series");
}

}  // namespace commgauge::sweep_analysis_test
