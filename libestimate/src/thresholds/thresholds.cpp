#include "commgauge/thresholds/thresholds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "commgauge/base/error.hpp"
#include "segmentation/segments_between.hpp"
#include "thresholds/break_agreement.hpp"
#include "thresholds/eager_limit.hpp"
#include "thresholds/find_kind.hpp"
#include "thresholds/observations.hpp"
#include "thresholds/sweep_warnings.hpp"

namespace commgauge {

namespace {

constexpr std::size_t few_repetitions = 5;
constexpr double decisive = 3;                    // joint half widths between two lines
constexpr std::string_view library = "_library";  ///< ends the kind of what MPI itself does
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

std::string name_of(const Sweep& sweep) { return sweep.kind.empty() ? "the series" : sweep.kind; }

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

std::string text_of(const DisputedBreak& disputed) {
  return to_text(disputed.after) + " (" + std::to_string(disputed.show) + " of " +
         std::to_string(disputed.asked) + " show it)";
}

void warn(const ThresholdOptions& options, const Observations& observations,
          SweepAnalysis& analysis) {
  const std::vector<SweepPoint>& points = analysis.sweep.points;
  const std::string name = name_of(analysis.sweep);
  const auto breaks = static_cast<int>(analysis.segmentation.breaks.size());
  const SegmentationOptions& segmentation = options.segmentation;
  if (!segmentation.breaks && breaks > 0 && breaks == segmentation.most_breaks) {
    analysis.warnings.push_back(name + " has as many breaks as were allowed (" +
                                std::to_string(breaks) +
                                "): it may have more, or no straight segments");
  }
  for (const DisputedBreak& disputed : analysis.disputed) {
    analysis.warnings.push_back("a break of " + name + " is not agreed on by the passes, after " +
                                text_of(disputed) +
                                (segmentation.breaks ? ": it may be chance" : ": left out"));
  }
  const auto few = std::ranges::count_if(points, [](const SweepPoint& point) {
    return point.times_s.size() < few_repetitions && !has_own_interval(point);
  });
  if (few > 0) {
    analysis.warnings.push_back(std::to_string(few) + " of " + std::to_string(points.size()) +
                                " sizes of " + name +
                                " have fewer than five repetitions: their noise is a guess");
  }
  if (!analysis.escalations.found) return;
  std::vector<std::size_t> left_out;
  for (std::size_t p = 0; p < points.size(); ++p) {
    if (!std::ranges::binary_search(observations.points, p)) left_out.push_back(p);
  }
  analysis.warnings.push_back(
      "escalated repetitions of " + name + " are left out of its segments (" +
      to_text(points[analysis.escalations.first].size) + " to " +
      to_text(points[analysis.escalations.last].size) + ")" +
      (left_out.empty() ? "" : ", and with all of theirs the sizes " + sizes_of(points, left_out)));
}

/// What one launch says of how its sweeps were timed, or nothing.
std::string timing_of(const std::vector<Launch>& launches, const Sweep& sweep) {
  const auto launch = static_cast<std::size_t>(sweep.launch);
  if (launch >= launches.size()) return "";
  const auto timing = launches[launch].options.find("timing");
  return timing == launches[launch].options.end() ? "" : timing->second;
}

SweepSource source_of(const SweepAnalysis& analysis, const std::vector<Launch>& launches) {
  SweepSource source;
  source.algorithm = analysis.sweep.kind.ends_with(library) ? "library" : "flat";
  source.timing = timing_of(launches, analysis.sweep);
  if (!launches.empty()) source.root = analysis.sweep.root;
  source.launches = analysis.launches;
  return source;
}

std::string text_of(const SweepSource& source) {
  return (source.root ? "root " + std::to_string(*source.root) : "no root") +
         (source.timing.empty() ? "" : ", timing " + source.timing);
}

/// Of several roots or timings the first counts, and that is said.
void warn_of_others(const SweepAnalysis& chosen, Thresholds& thresholds) {
  std::string others;
  for (const SweepAnalysis& analysis : thresholds.sweeps) {
    if (&analysis == &chosen || analysis.sweep.kind != chosen.sweep.kind) continue;
    others += (others.empty() ? "" : "; ") + text_of(source_of(analysis, thresholds.launches));
  }
  if (others.empty()) return;
  thresholds.warnings.push_back("the thresholds of " + chosen.sweep.kind + " are those of " +
                                text_of(source_of(chosen, thresholds.launches)) +
                                ": it was swept as well with " + others);
}

/// The flat algorithm's sweep, or else the library's.
const SweepAnalysis* choose(Thresholds& thresholds, const std::string& kind) {
  const SweepAnalysis* found = find_kind(thresholds, kind);
  if (found == nullptr) {
    found = find_kind(thresholds, kind + std::string{library});
    if (found == nullptr) return nullptr;
    thresholds.warnings.push_back("no flat " + kind +
                                  " was swept: its thresholds are those of the MPI library's own");
  }
  warn_of_others(*found, thresholds);
  return found;
}

Threshold nothing(const std::string& reason) {
  Threshold threshold;
  threshold.reason = reason;
  return threshold;
}

Threshold not_swept(const std::string& kind) { return nothing(kind + " was not swept"); }

/// By how much the RSS grows when the segments beside a break become one line.
double weight_of_break(const SweepAnalysis& analysis, const Observations& observations,
                       std::size_t which, double confidence) {
  const Segment& left = analysis.segmentation.segments[which];
  const Segment& right = analysis.segmentation.segments[which + 1];
  const Segment joined = line_through(observations.between(left.first, right.last), confidence);
  return joined.rss - left.rss - right.rss;
}

const Break& largest_break(const SweepAnalysis& analysis, double confidence) {
  const std::vector<Break>& breaks = analysis.segmentation.breaks;
  const Observations observations = observe(analysis.sweep, analysis.escalations, analysis.weights);
  std::size_t largest = 0;
  double most = weight_of_break(analysis, observations, 0, confidence);
  for (std::size_t i = 1; i < breaks.size(); ++i) {
    const double gain = weight_of_break(analysis, observations, i, confidence);
    if (gain > most) {
      most = gain;
      largest = i;
    }
  }
  return breaks[largest];
}

constexpr const char* no_break = "one line explains all sizes";

Threshold scatter_break(const SweepAnalysis& analysis, double confidence) {
  if (!analysis.reason.empty()) return nothing(analysis.reason);
  if (analysis.segmentation.breaks.empty()) {
    return nothing(analysis.disputed.empty() ? no_break
                                             : "not agreed on by the passes, after " +
                                                   text_of(analysis.disputed.front()));
  }
  return threshold_of(largest_break(analysis, confidence), analysis.sweep);
}

/// A line's time at a size [s]; the half width as if the two parameters' errors added up.
Estimate time_on(const Segment& line, Bytes size) {
  const double x = static_cast<double>(size.value);
  const double time = line.intercept.value + x * line.slope.value;
  const double half_width =
      line.intercept.high - line.intercept.value + x * (line.slope.high - line.slope.value);
  return {time, time - half_width, time + half_width};
}

/// By how much the line after a break is above the one before at `size` [s].
Estimate step_at(Bytes size, const Segment& before, const Segment& after) {
  const Estimate left = time_on(before, size);
  const Estimate right = time_on(after, size);
  const double joint = std::hypot(left.high - left.value, right.high - right.value);
  const double step = right.value - left.value;
  return {step, step - joint, step + joint};
}

/// Whether the lines on both sides of a break can't be one at `size`.
bool part_at(Bytes size, const Segment& before, const Segment& after) {
  const Estimate step = step_at(size, before, after);
  return std::abs(step.value) > decisive * (step.high - step.value);
}

Threshold gather_m1(const SweepAnalysis& analysis) {
  const Escalations& found = analysis.escalations;
  const std::vector<SweepPoint>& points = analysis.sweep.points;
  if (!found.found) return nothing(found.reason);
  if (found.first == 0) {
    return nothing("escalations from the smallest size on (" + to_text(points.front().size) +
                   "): measure smaller ones");
  }
  Threshold threshold;
  threshold.size = points[found.first - 1].size;
  threshold.high = points[found.first_high].size;
  if (found.first_low > 0) {
    threshold.low = points[found.first_low - 1].size;
  } else {
    threshold.reason = "escalations may begin at the smallest size: measure smaller ones";
  }
  return threshold;
}

Threshold gather_m2(const SweepAnalysis& analysis) {
  const Escalations& found = analysis.escalations;
  const std::vector<SweepPoint>& points = analysis.sweep.points;
  if (!found.found) return nothing(found.reason);
  if (found.last + 1 == points.size()) {
    return nothing("escalations up to the largest size measured (" + to_text(points.back().size) +
                   "): measure larger ones");
  }
  if (!found.ends) {
    return nothing("escalations up to " + to_text(points[found.last].size) +
                   " (larger sizes take so long that as much more would not stand out there)");
  }
  Threshold threshold;
  threshold.size = points[found.last].size;
  threshold.low = points[found.last_low].size;
  if (found.last_high + 1 < points.size()) {
    threshold.high = points[found.last_high + 1].size;
  } else {
    threshold.reason = "escalations may go on up to the largest size: measure larger ones";
  }
  return threshold;
}

std::string too_few_sizes(const Sweep& sweep, int needed) {
  const auto sizes = static_cast<int>(sweep.points.size());
  if (sizes >= needed) return "";
  return name_of(sweep) + " was swept at " + std::to_string(sizes) +
         (sizes == 1 ? " size" : " sizes") + " only (a line takes " + std::to_string(needed) +
         "): measure more";
}

/// @param launch_ends  as of agreement_on_break()
SweepAnalysis analyse_launches(const Sweep& sweep, const ThresholdOptions& options,
                               std::span<const int> launch_ends) {
  const std::string too_few = too_few_sizes(sweep, options.segmentation.min_segment);
  if (!too_few.empty()) throw FitError(too_few);
  const std::string place = name_of(sweep) + ": ";
  try {
    SweepAnalysis analysis;
    analysis.sweep = sweep;
    analysis.escalations = find_escalations(sweep, options.segmentation.confidence);
    const Observations observations = observe(sweep, analysis.escalations, options.weights);
    analysis.weights = observations.weights.empty() ? Weights::none : Weights::relative;
    analysis.segmentation =
        agreed_segments(sweep, observations, options.segmentation, launch_ends, analysis.disputed);
    point_to_sweep(analysis.segmentation, observations.points);
    analysis.fitted_s.assign(sweep.points.size(), unknown);
    for (std::size_t i = 0; i < observations.points.size(); ++i) {
      analysis.fitted_s[observations.points[i]] = observations.times[i].value;
    }
    warn(options, observations, analysis);
    return analysis;
  } catch (const FitError& error) {
    throw FitError(place + error.what());
  } catch (const InputError& error) {
    throw InputError(place + error.what());
  }
}

/// What is left of a sweep that has no lines: its escalations, if it has sizes enough for those.
SweepAnalysis without_lines(const Sweep& sweep, const ThresholdOptions& options,
                            const std::string& reason) {
  SweepAnalysis analysis;
  analysis.sweep = sweep;
  analysis.reason = reason;
  analysis.warnings = {reason};
  analysis.fitted_s.assign(sweep.points.size(), unknown);
  Segmentation& none = analysis.segmentation;
  none.rss = none.bic = none.lwz = unknown;
  if (too_few_sizes(sweep, options.segmentation.min_segment).empty()) {
    analysis.escalations = find_escalations(sweep, options.segmentation.confidence);
  } else {
    Escalations& unseen = analysis.escalations;
    unseen.reason = reason;
    unseen.rate_inside = unseen.rate_outside = unseen.limit_s = unseen.limit_ratio = unknown;
  }
  return analysis;
}

SweepAnalysis analyse_if_possible(const Sweep& sweep, const ThresholdOptions& options,
                                  std::span<const int> launch_ends) {
  try {
    return analyse_launches(sweep, options, launch_ends);
  } catch (const Error& error) {
    return without_lines(sweep, options, error.what());
  }
}

/// A sweep, and the launches whose repetitions it has.
struct JoinedSweep {
  Sweep sweep;
  std::vector<int> launches;
  std::vector<int> ends;  ///< the pass after the last of each launch
};

Thresholds without_eager_limit(std::span<const JoinedSweep> sweeps,
                               const std::vector<Launch>& launches,
                               const ThresholdOptions& options) {
  Thresholds result;
  result.confidence = options.segmentation.confidence;
  result.eager_limit = nothing("not probed");
  result.launches = launches;
  for (const JoinedSweep& joined : sweeps) {
    result.sweeps.push_back(analyse_if_possible(joined.sweep, options, joined.ends));
    result.sweeps.back().launches = joined.launches;
    std::ranges::copy(result.sweeps.back().warnings, std::back_inserter(result.warnings));
  }
  const SweepAnalysis* scatter = choose(result, "scatter");
  const SweepAnalysis* gather = choose(result, "gather");
  result.scatter_break =
      scatter != nullptr ? scatter_break(*scatter, result.confidence) : not_swept("scatter");
  result.gather_m1 = gather != nullptr ? gather_m1(*gather) : not_swept("gather");
  result.gather_m2 = gather != nullptr ? gather_m2(*gather) : not_swept("gather");
  if (scatter != nullptr) result.scatter_sweep = source_of(*scatter, launches);
  if (gather != nullptr) result.gather_sweep = source_of(*gather, launches);
  return result;
}

/// Launches may have been refined at other sizes, each at its own speed.
bool same_sizes(const Sweep& a, const Sweep& b) {
  return std::ranges::equal(a.points, b.points, {}, &SweepPoint::size, &SweepPoint::size);
}

void warn_of_joining(const std::vector<JoinedSweep>& joined, std::vector<std::string>& warnings) {
  for (const auto& [sweep, launches, ends] : joined) {
    if (launches.size() < 2) continue;
    warnings.push_back("sweeps of " + name_of(sweep) + " from " + std::to_string(launches.size()) +
                       " launches are joined: intervals hold what varies within a launch and miss "
                       "what differs between launches");
  }
}

std::vector<JoinedSweep> join_launches(const Measurements& measurements,
                                       std::vector<std::string>& warnings) {
  std::vector<JoinedSweep> joined;
  for (const Sweep& sweep : measurements.sweeps) {
    const auto same = std::ranges::find_if(joined, [&](const JoinedSweep& other) {
      return other.sweep.kind == sweep.kind && other.sweep.root == sweep.root &&
             timing_of(measurements.launches, other.sweep) ==
                 timing_of(measurements.launches, sweep);
    });
    if (same == joined.end()) {
      joined.push_back({sweep, {sweep.launch}, {next_pass(sweep)}});
      continue;
    }
    if (!same_sizes(same->sweep, sweep)) {
      warnings.push_back("launches swept " + name_of(sweep) +
                         " at different sizes: where one is slower than another, that can look "
                         "like a break");
    }
    if (same->launches.back() != sweep.launch) same->launches.push_back(sweep.launch);
    const int first_pass = next_pass(same->sweep);
    for (const SweepPoint& point : sweep.points) {
      std::vector<int> passes = point.passes;
      for (int& pass : passes) pass += first_pass;
      add_times(same->sweep, point.size, point.times_s, passes);
    }
    same->ends.push_back(next_pass(same->sweep));
  }
  warn_of_joining(joined, warnings);
  return joined;
}

/// The two need not agree, but who sees both wants to know.
void compare_eager_limit(Thresholds& result) {
  const Threshold& found = result.scatter_break;
  const Threshold& eager = result.eager_limit;
  if (!eager.size || !found.low || !found.high) return;
  const Bytes limit = *eager.size;
  const bool certain = eager.low && eager.high;
  // Launches may differ: the largest size that is eager in one of them.
  const Bytes largest = certain ? Bytes{eager.high->value - 1} : limit;
  const SweepAnalysis* scatter = find_kind(result, "scatter");
  if (scatter == nullptr) scatter = find_kind(result, "scatter_library");
  const std::vector<SweepPoint>& points = scatter->sweep.points;
  const bool inside_sweep = limit >= points.front().size && limit < points.back().size;
  if (!inside_sweep || (largest >= *found.low && limit < *found.high)) return;
  result.warnings.push_back(
      "scatter breaks between " + to_text(*found.low) + " and " + to_text(*found.high) +
      ", not at the eager limit of point-to-point messages (" + to_text(limit) + "): " +
      (certain ? "the limit was probed, the break has another cause"
               : "the break has another cause, or the limit is another (" + eager.reason + ")"));
}

/// Whether the line after a break is higher at both its ends: where only the slope changes, one of
/// them lies on both lines or below.
bool jumps(const SweepAnalysis& analysis, std::size_t which) {
  const Segment& before = analysis.segmentation.segments[which];
  const Segment& after = analysis.segmentation.segments[which + 1];
  const std::vector<SweepPoint>& points = analysis.sweep.points;
  return step_at(points[before.last].size, before, after).low > 0 &&
         step_at(points[after.first].size, before, after).low > 0;
}

/// @throws InputError  what makes no sweep.
Sweep one_way_sweep(std::span<const Bytes> sizes, std::span<const Seconds> times) {
  if (sizes.size() != times.size()) {
    throw InputError("there are " + std::to_string(sizes.size()) + " sizes and " +
                     std::to_string(times.size()) + " times (one belongs to each): give as many");
  }
  Sweep sweep;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    if (!(times[k].value > 0) || !std::isfinite(times[k].value)) {
      throw InputError(
          "a one-way time is not a finite time above zero (no message takes that): "
          "leave it out");
    }
    if (k > 0 && sizes[k] <= sizes[k - 1]) {
      throw InputError("sizes don't ascend (each belongs to one time): sort them");
    }
    sweep.points.push_back({sizes[k], {times[k].value}});
  }
  return sweep;
}

}  // namespace

Threshold threshold_of(const Break& found, const Sweep& sweep) {
  const std::vector<SweepPoint>& points = sweep.points;
  Threshold threshold;
  threshold.size = points[found.last].size;
  if (!found.low || !found.high) {
    threshold.reason = found.no_interval.empty() ? "the break has no interval" : found.no_interval;
    return threshold;
  }
  threshold.low = points[*found.low].size;
  if (*found.high + 1 < points.size()) {
    threshold.high = points[*found.high + 1].size;
  } else {
    threshold.reason = "the break may lie beyond the largest size: measure larger ones";
  }
  return threshold;
}

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
Thresholds find_thresholds(std::span<const Sweep> sweeps, const ThresholdOptions& options) {
  if (sweeps.empty()) throw FitError("there are no sweeps (nothing was measured): measure some");
  std::vector<JoinedSweep> alone;
  for (const Sweep& sweep : sweeps) alone.push_back({sweep, {}, {}});
  return without_eager_limit(alone, {}, options);
}

Thresholds find_thresholds(const Measurements& all, const ThresholdOptions& options) {
  const Measurements measurements = largest_launches(all);
  std::vector<std::string> warnings;
  const std::vector<JoinedSweep> sweeps = join_launches(measurements, warnings);
  const bool has_limit = std::ranges::any_of(measurements.launches, [](const Launch& launch) {
    return launch.eager_limit_bytes || launch.eager_probed_bytes.value_or(0) > 0;
  });
  if (sweeps.empty() && !has_limit) {
    throw FitError("there are neither sweeps nor an eager limit (nothing was measured): measure");
  }
  Thresholds result = without_eager_limit(sweeps, measurements.launches, options);
  result.warnings.insert(result.warnings.begin(), warnings.begin(), warnings.end());
  const EagerLimit limit = eager_limit_of(measurements.launches);
  result.eager_limit = limit.threshold;
  if (!limit.warning.empty()) result.warnings.push_back(limit.warning);
  compare_eager_limit(result);
  std::ranges::copy(sweep_warnings(measurements), std::back_inserter(result.warnings));
  return result;
}

Threshold find_block_size(std::span<const Bytes> sizes, std::span<const Seconds> times,
                          const ThresholdOptions& options) {
  const SweepAnalysis analysis = analyse(one_way_sweep(sizes, times), options);
  const std::vector<Break>& breaks = analysis.segmentation.breaks;
  if (breaks.empty()) return nothing(no_break);
  for (std::size_t i = 0; i < breaks.size(); ++i) {
    if (jumps(analysis, i)) return threshold_of(breaks[i], analysis.sweep);
  }
  return nothing("no time jumps by more than its uncertainty, only the time per byte changes");
}

namespace {

EscalatingSizes united(const EscalatingSizes& a, const EscalatingSizes& b) {
  const bool both_end = a.regular_from && b.regular_from;
  return {std::min(a.above, b.above),
          both_end ? std::max(a.regular_from, b.regular_from) : std::nullopt};
}

}  // namespace

std::optional<EscalatingSizes> escalating_sizes(const Thresholds& thresholds) {
  std::optional<EscalatingSizes> sizes;
  for (const char* kind : {"scatter", "gather"}) {
    const SweepAnalysis* analysis = find_kind(thresholds, kind);
    if (analysis == nullptr || !analysis->escalations.found) continue;
    const Escalations& found = analysis->escalations;
    const std::vector<SweepPoint>& points = analysis->sweep.points;
    EscalatingSizes its{found.first_low > 0 ? points[found.first_low - 1].size : Bytes{0}, {}};
    if (found.ends && found.last_high + 1 < points.size()) {
      its.regular_from = points[found.last_high + 1].size;
    }
    sizes = sizes ? united(*sizes, its) : its;
  }
  return sizes;
}

std::optional<Bytes> decisive_scatter_break(const Thresholds& thresholds, Bytes largest) {
  const SweepAnalysis* scatter = find_kind(thresholds, "scatter");
  if (scatter == nullptr) return std::nullopt;
  const std::vector<SweepPoint>& points = scatter->sweep.points;
  const Segmentation& lines = scatter->segmentation;
  for (std::size_t i = 0; i < lines.breaks.size(); ++i) {
    const Break& at = lines.breaks[i];
    if (points[at.last].size >= largest) break;
    if (part_at(largest, lines.segments[i], lines.segments[i + 1])) {
      return points[at.low.value_or(at.last)].size;
    }
  }
  return std::nullopt;
}

}  // namespace commgauge
