#include "commgauge/thresholds.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "commgauge/error.hpp"
#include "observations.hpp"

namespace commgauge {

namespace {

constexpr std::size_t few_repetitions = 5;
constexpr double decisive = 3;  // joint half widths between two lines

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

void warn(const ThresholdOptions& options, const Observations& observations,
          SweepAnalysis& analysis) {
  const std::vector<SweepPoint>& points = analysis.sweep.points;
  const std::string name = analysis.sweep.kind.empty() ? "the series" : analysis.sweep.kind;
  const auto breaks = static_cast<int>(analysis.segmentation.breaks.size());
  const SegmentationOptions& segmentation = options.segmentation;
  if (!segmentation.breaks && breaks > 0 && breaks == segmentation.most_breaks) {
    analysis.warnings.push_back(name + " has as many breaks as were allowed (" +
                                std::to_string(breaks) +
                                "): it may have more, or no straight segments");
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

const SweepAnalysis* find_kind(const Thresholds& thresholds, std::string_view kind) {
  const auto found = std::ranges::find(thresholds.sweeps, kind, [](const SweepAnalysis& analysis) {
    return std::string_view{analysis.sweep.kind};
  });
  return found == thresholds.sweeps.end() ? nullptr : &*found;
}

/// The flat algorithm's sweep, or else the library's.
const SweepAnalysis* choose(Thresholds& thresholds, const std::string& kind) {
  if (const SweepAnalysis* flat = find_kind(thresholds, kind)) return flat;
  const SweepAnalysis* library = find_kind(thresholds, kind + "_library");
  if (library != nullptr) {
    thresholds.warnings.push_back("no flat " + kind +
                                  " was swept: its thresholds are those of the MPI library's own");
  }
  return library;
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
  const Observations observations =
      observe(analysis.sweep, analysis.escalations, analysis.weights, confidence);
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

Threshold scatter_break(const SweepAnalysis& analysis, double confidence) {
  if (analysis.segmentation.breaks.empty()) return nothing("one line explains all sizes");
  const Break& found = largest_break(analysis, confidence);
  const std::vector<SweepPoint>& points = analysis.sweep.points;
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

/// A line's time at a size [s]; the half width as if the two parameters' errors added up.
Estimate time_on(const Segment& line, Bytes size) {
  const double x = static_cast<double>(size.value);
  const double time = line.intercept.value + x * line.slope.value;
  const double half_width = line.intercept.high - line.intercept.value +
                            x * (line.slope.high - line.slope.value);
  return {time, time - half_width, time + half_width};
}

/// Whether the lines on both sides of a break can't be one at `size`.
bool part_at(Bytes size, const Segment& before, const Segment& after) {
  const Estimate left = time_on(before, size);
  const Estimate right = time_on(after, size);
  const double joint = std::hypot(left.high - left.value, right.high - right.value);
  return std::abs(left.value - right.value) > decisive * joint;
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

Thresholds without_eager_limit(std::span<const Sweep> sweeps, const ThresholdOptions& options) {
  Thresholds result;
  result.confidence = options.segmentation.confidence;
  result.eager_limit = nothing("not probed");
  for (const Sweep& sweep : sweeps) {
    result.sweeps.push_back(analyse(sweep, options));
    std::ranges::copy(result.sweeps.back().warnings, std::back_inserter(result.warnings));
  }
  const SweepAnalysis* scatter = choose(result, "scatter");
  const SweepAnalysis* gather = choose(result, "gather");
  result.scatter_break =
      scatter != nullptr ? scatter_break(*scatter, result.confidence) : not_swept("scatter");
  result.gather_m1 = gather != nullptr ? gather_m1(*gather) : not_swept("gather");
  result.gather_m2 = gather != nullptr ? gather_m2(*gather) : not_swept("gather");
  return result;
}

/// Launches may have been refined at other sizes, each at its own speed.
bool same_sizes(const Sweep& a, const Sweep& b) {
  return std::ranges::equal(a.points, b.points, {}, &SweepPoint::size, &SweepPoint::size);
}

std::vector<Sweep> join_launches(const std::vector<Sweep>& sweeps,
                                 std::vector<std::string>& warnings) {
  std::vector<Sweep> joined;
  for (const Sweep& sweep : sweeps) {
    const auto same = std::ranges::find_if(joined, [&](const Sweep& other) {
      return other.kind == sweep.kind && other.root == sweep.root;
    });
    if (same == joined.end()) {
      joined.push_back(sweep);
      continue;
    }
    if (!same_sizes(*same, sweep)) {
      warnings.push_back("launches swept " + sweep.kind +
                         " at different sizes: where one is slower than another, that can look "
                         "like a break");
    }
    for (const SweepPoint& point : sweep.points) add_times(*same, point.size, point.times_s);
  }
  return joined;
}

void set_eager_limit(const std::vector<Launch>& launches, Thresholds& result) {
  std::optional<std::uint64_t> limit;
  bool differ = false;
  for (const Launch& launch : launches) {
    if (!launch.eager_limit_bytes) continue;
    differ = differ || (limit && *limit != *launch.eager_limit_bytes);
    limit = std::min(limit.value_or(*launch.eager_limit_bytes), *launch.eager_limit_bytes);
  }
  if (differ) {
    result.warnings.push_back("the launches disagree about the eager limit: the smallest is used");
  }
  if (limit) {
    result.eager_limit = {Bytes{*limit}, Bytes{*limit}, Bytes{*limit + 1}, ""};
  } else {
    result.eager_limit = nothing("messages of all probed sizes are eager, or it was not probed");
  }
}

/// The two need not agree, but who sees both wants to know.
void compare_eager_limit(Thresholds& result) {
  const Threshold& found = result.scatter_break;
  if (!result.eager_limit.size || !found.low || !found.high) return;
  const Bytes limit = *result.eager_limit.size;
  const SweepAnalysis* scatter = find_kind(result, "scatter");
  if (scatter == nullptr) scatter = find_kind(result, "scatter_library");
  const std::vector<SweepPoint>& points = scatter->sweep.points;
  const bool inside_sweep = limit >= points.front().size && limit < points.back().size;
  if (!inside_sweep || (limit >= *found.low && limit < *found.high)) return;
  result.warnings.push_back("scatter breaks between " + to_text(*found.low) + " and " +
                            to_text(*found.high) +
                            ", not at the eager limit of point-to-point messages (" +
                            to_text(limit) + "): the limit is exact, the break has another cause");
}

}  // namespace

SweepAnalysis analyse(const Sweep& sweep, const ThresholdOptions& options) try {
  const double confidence = options.segmentation.confidence;
  if (sweep.points.empty()) {
    throw FitError("a sweep has no sizes (nothing was measured): measure again");
  }
  SweepAnalysis analysis;
  analysis.sweep = sweep;
  analysis.escalations = find_escalations(sweep, confidence);
  const Observations observations =
      observe(sweep, analysis.escalations, options.weights, confidence);
  analysis.weights = observations.weights.empty() ? Weights::none : Weights::relative;
  analysis.segmentation =
      segmented_regression(observations.sizes, observations.times, options.segmentation,
                           observations.weights, observations.floors);
  point_to_sweep(analysis.segmentation, observations.points);
  warn(options, observations, analysis);
  return analysis;
} catch (const FitError& error) {
  throw FitError((sweep.kind.empty() ? "" : sweep.kind + ": ") + error.what());
}

Thresholds find_thresholds(std::span<const Sweep> sweeps, const ThresholdOptions& options) {
  if (sweeps.empty()) throw FitError("there are no sweeps (nothing was measured): measure some");
  return without_eager_limit(sweeps, options);
}

Thresholds find_thresholds(const Measurements& measurements, const ThresholdOptions& options) {
  std::vector<std::string> warnings;
  const std::vector<Sweep> sweeps = join_launches(measurements.sweeps, warnings);
  const bool probed = std::ranges::any_of(measurements.launches, [](const Launch& launch) {
    return launch.eager_limit_bytes.has_value();
  });
  if (sweeps.empty() && !probed) {
    throw FitError("there are neither sweeps nor an eager limit (nothing was measured): measure");
  }
  Thresholds result = without_eager_limit(sweeps, options);
  result.warnings.insert(result.warnings.begin(), warnings.begin(), warnings.end());
  result.launches = measurements.launches;
  set_eager_limit(measurements.launches, result);
  compare_eager_limit(result);
  return result;
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
