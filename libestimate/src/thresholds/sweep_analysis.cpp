#include "thresholds/sweep_analysis.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "commgauge/base/error.hpp"
#include "commgauge/base/unknown_value.hpp"
#include "commgauge/segmentation/segmentation.hpp"
#include "segmentation/segments_between.hpp"
#include "thresholds/breaks/break_agreement.hpp"
#include "thresholds/observations.hpp"

namespace commgauge {

namespace {

/// Their extremes hold the median in 94 %; those of four in 88 %.
constexpr std::size_t few_repetitions = 5;

/// From positions among the observations to points of the sweep.
void point_to_sweep(Segmentation& segmentation, const std::vector<std::size_t>& points) {
  for (Segment& segment : segmentation.segments) {
    segment.first = points[segment.first];
    segment.last = points[segment.last];
  }
  for (Break& b : segmentation.breaks) {
    b.last = points[b.last];
    if (b.low) b.low = points[*b.low];
    if (b.high) b.high = points[*b.high];
  }
  for (Partition& partition : segmentation.candidates) {
    for (std::size_t& last : partition.breaks) last = points[last];
  }
}

bool has_own_interval(const SweepPoint& point) {
  return point.times_s.size() == 1 && point.low_s <= point.high_s;
}

std::string sizes_of(const std::vector<SweepPoint>& points, std::span<const std::size_t> which) {
  std::string text;
  for (const std::size_t p : which) text += (text.empty() ? "" : ", ") + to_text(points[p].size);
  return text;
}

/// As the criterion finds them, without those that the passes don't agree on; the others stay where
/// they are. A given number of breaks is kept.
Segmentation agreed_segments(const Sweep& sweep, const Observations& observations,
                             const SegmentationOptions& options, std::span<const int> launch_ends,
                             std::vector<DisputedBreak>& disputed) {
  Segmentation found = segmented_regression(observations.sizes, observations.times, options,
                                            observations.weights, observations.floors);
  for (;;) {
    std::vector<std::size_t> agreed;
    for (std::size_t i = 0; i < found.breaks.size(); ++i) {
      const std::size_t last = found.breaks[i].last;
      const BreakAgreement agreement = agreement_on_break(sweep, observations, found.segments[i],
                                                          found.segments[i + 1], launch_ends);
      if (agreement.agrees) {
        agreed.push_back(last);
      } else {
        disputed.push_back({observations.sizes[last], agreement.show, agreement.asked});
      }
    }
    if (options.breaks || agreed.size() == found.breaks.size()) return found;
    // What is left out no longer parts the others' lines.
    auto tried = std::move(found.candidates);
    found = segments_between(agreed, observations.sizes, observations.times, options,
                             observations.weights, observations.floors);
    found.candidates = std::move(tried);
  }
}

void warn(const ThresholdOptions& options, const Observations& observations,
          SweepAnalysis& analysis) {
  const std::vector<SweepPoint>& points = analysis.sweep.points;
  const std::string name = name_of(analysis.sweep);
  const auto breaks = static_cast<int>(analysis.segmentation.breaks.size());
  const SegmentationOptions& segmentation = options.segmentation;
  if (!segmentation.breaks && breaks > 0 && breaks == segmentation.most_breaks) {
    analysis.warnings.push_back({.kind = "as_many_breaks_as_allowed",
                                 .count = breaks,
                                 .problem = name + " has as many breaks as were allowed",
                                 .reason = std::to_string(breaks),
                                 .advice = "it may have more, or no straight segments"});
  }
  for (const DisputedBreak& disputed : analysis.disputed) {
    analysis.warnings.push_back(
        {.kind = "disputed_break",
         .problem = "a break of " + name + " is not agreed on by the passes, after " +
                    to_text(disputed.after),
         .reason =
             std::to_string(disputed.show) + " of " + std::to_string(disputed.asked) + " show it",
         .advice = segmentation.breaks ? "it may be chance" : "left out"});
  }
  const auto few = std::ranges::count_if(points, [](const SweepPoint& point) {
    return point.times_s.size() < few_repetitions && !has_own_interval(point);
  });
  if (few > 0) {
    analysis.warnings.push_back({.kind = "few_repetitions",
                                 .count = few,
                                 .problem = std::to_string(few) + " of " +
                                            std::to_string(points.size()) + " sizes of " + name +
                                            " have fewer than five repetitions",
                                 .advice = "their noise is a guess"});
  }
  if (!analysis.escalations.found) return;
  std::vector<std::size_t> left_out;
  for (std::size_t p = 0; p < points.size(); ++p) {
    if (!std::ranges::binary_search(observations.points, p)) left_out.push_back(p);
  }
  analysis.warnings.push_back(
      {.kind = "escalated_repetitions",
       .problem = "escalated repetitions of " + name + " are left out of its segments (" +
                  to_text(points[analysis.escalations.first].size) + " to " +
                  to_text(points[analysis.escalations.last].size) + ")" +
                  (left_out.empty()
                       ? ""
                       : ", and with all of theirs the sizes " + sizes_of(points, left_out))});
}

std::optional<Diagnostic> too_few_sizes(const Sweep& sweep, int needed) {
  const auto sizes = static_cast<int>(sweep.points.size());
  if (sizes >= needed) return std::nullopt;
  return Diagnostic{.kind = "too_few_sizes",
                    .count = sizes,
                    .problem = name_of(sweep) + " was swept at " + std::to_string(sizes) +
                               (sizes == 1 ? " size" : " sizes") + " only",
                    .reason = "a line takes " + std::to_string(needed),
                    .advice = "measure more"};
}

/// @param launch_ends  as of agreement_on_break()
SweepAnalysis analyse_launches(const Sweep& sweep, const ThresholdOptions& options,
                               std::span<const int> launch_ends) {
  const auto too_few = too_few_sizes(sweep, options.segmentation.min_segment);
  if (too_few) throw FitError(too_few->text());
  const std::string of_sweep = name_of(sweep) + ": ";
  try {
    SweepAnalysis analysis;
    analysis.sweep = sweep;
    analysis.escalations = find_escalations(sweep, options.segmentation.confidence);
    const Observations observations = observe(sweep, analysis.escalations, options.weights);
    analysis.weights = observations.weights.empty() ? Weights::none : Weights::relative;
    analysis.segmentation =
        agreed_segments(sweep, observations, options.segmentation, launch_ends, analysis.disputed);
    point_to_sweep(analysis.segmentation, observations.points);
    analysis.fitted_s.assign(sweep.points.size(), unknown_value);
    for (std::size_t i = 0; i < observations.points.size(); ++i) {
      analysis.fitted_s[observations.points[i]] = observations.times[i].value;
    }
    warn(options, observations, analysis);
    return analysis;
  } catch (const FitError& error) {
    throw FitError(of_sweep + error.what());
  } catch (const InputError& error) {
    throw InputError(of_sweep + error.what());
  }
}

/// What is left of a sweep that has no lines: its escalations, if it has sizes enough for those.
SweepAnalysis without_lines(const Sweep& sweep, const ThresholdOptions& options,
                            const std::string& error) {
  const auto too_few = too_few_sizes(sweep, options.segmentation.min_segment);
  SweepAnalysis analysis;
  analysis.sweep = sweep;
  analysis.reason = error;
  analysis.warnings = {too_few.value_or(Diagnostic{.kind = "no_lines", .problem = error})};
  analysis.fitted_s.assign(sweep.points.size(), unknown_value);
  Segmentation& none = analysis.segmentation;
  none.rss = none.bic = none.lwz = unknown_value;
  if (!too_few) {
    analysis.escalations = find_escalations(sweep, options.segmentation.confidence);
  } else {
    Escalations& unseen = analysis.escalations;
    unseen.reason = error;
    unseen.rate_inside = unseen.rate_outside = unseen.limit_s = unseen.limit_ratio = unknown_value;
  }
  return analysis;
}

}  // namespace

std::string name_of(const Sweep& sweep) { return sweep.kind.empty() ? "the series" : sweep.kind; }

std::size_t SweepAnalysis::sizes_in(const Segment& segment) const {
  std::size_t count = 0;
  for (std::size_t p = segment.first; p <= segment.last && p < fitted_s.size(); ++p) {
    count += std::isnan(fitted_s[p]) ? 0 : 1;
  }
  return count;
}

SweepAnalysis analyse(const Sweep& sweep, const ThresholdOptions& options) {
  return analyse_launches(sweep, options, {});
}

SweepAnalysis analyse_if_possible(const Sweep& sweep, const ThresholdOptions& options,
                                  std::span<const int> launch_ends) {
  try {
    return analyse_launches(sweep, options, launch_ends);
  } catch (const Error& error) {
    return without_lines(sweep, options, error.what());
  }
}

}  // namespace commgauge
