#include "thresholds/breaks/scatter_break.hpp"

#include "thresholds/breaks/break_agreement.hpp"
#include "thresholds/breaks/line_step.hpp"
#include "thresholds/find_kind.hpp"
#include "thresholds/no_threshold.hpp"
#include "thresholds/observations.hpp"

namespace commgauge {

namespace {

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

Threshold scatter_break(const SweepAnalysis& analysis, double confidence) {
  if (!analysis.reason.empty()) return no_threshold(analysis.reason);
  if (analysis.segmentation.breaks.empty()) {
    return no_threshold(analysis.disputed.empty() ? one_line_explains_all
                                                  : "not agreed on by the passes, after " +
                                                        text_of(analysis.disputed.front()));
  }
  return threshold_of(largest_break(analysis, confidence), analysis.sweep);
}

std::optional<Bytes> decisive_scatter_break(const Thresholds& thresholds, Bytes largest) {
  const SweepAnalysis* scatter = find_kind(thresholds, "scatter");
  if (scatter == nullptr) return std::nullopt;
  const std::vector<SweepPoint>& points = scatter->sweep.points;
  const Segmentation& lines = scatter->segmentation;
  for (std::size_t i = 0; i < lines.breaks.size(); ++i) {
    const Break& at = lines.breaks[i];
    if (points[at.last].size >= largest) break;
    if (differ_at(largest, lines.segments[i], lines.segments[i + 1])) {
      return points[at.low.value_or(at.last)].size;
    }
  }
  return std::nullopt;
}

}  // namespace commgauge
