#include "thresholds/observations.hpp"

#include <algorithm>
#include <cmath>

#include "commgauge/base/error.hpp"
#include "commgauge/base/statistics.hpp"
#include "commgauge/segmentation/segmentation.hpp"
#include "thresholds/escalations/escalated_repetitions.hpp"

namespace commgauge {

namespace {

constexpr double wide_range = 10;  ///< longest / shortest time that asks for relative weights
constexpr double most_floor = 3;   ///< times the median: one wild point must not drown the others
constexpr double least_floor = 1e-9;  ///< relative: no repetition differs from another
/// Of intervals that only tell a standard error: what is asked of the breaks must not change it.
/// The level at which low_s and high_s of a CSV are read (docs/formats.md).
constexpr double spread_level = 0.95;

std::vector<double> undisturbed(const SweepPoint& point, double limit) {
  std::vector<double> times = point.times_s;
  std::erase_if(times, [&](double time) { return time > limit; });
  return times;
}

/// Standard error of the median; 0 where nothing tells.
double standard_error(const SweepPoint& point, const std::vector<double>& times) {
  if (times.size() >= 2) {
    const LocationInterval interval = median_interval(times, spread_level);
    const double quantile =
        interval.kind == IntervalKind::student
            ? student_quantile(spread_level, static_cast<double>(times.size() - 1))
            : normal_quantile(interval.level);
    return interval.half_width() / quantile;
  }
  const bool has_interval = std::isfinite(point.low_s) && std::isfinite(point.high_s);
  if (!has_interval) return 0;
  return (point.high_s - point.low_s) / 2 / normal_quantile(spread_level);
}

void tame(Observations& observations) {
  std::vector<double> relative;
  for (std::size_t i = 0; i < observations.times.size(); ++i) {
    if (observations.floors[i].value > 0) {
      relative.push_back(observations.floors[i] / observations.times[i]);
    }
  }
  const double most = relative.empty() ? 0 : most_floor * median(relative);
  for (std::size_t i = 0; i < observations.times.size(); ++i) {
    const Seconds time = observations.times[i];
    const double share = std::min(observations.floors[i] / time, most);
    observations.floors[i] = std::max(share, least_floor) * time;
  }
}

bool is_relative(Weights weights, const std::vector<Seconds>& times) {
  if (weights != Weights::automatic) return weights == Weights::relative;
  const auto [shortest, longest] = std::ranges::minmax(times);
  return longest / shortest > wide_range;
}

double relative_weight(Seconds time) {
  const double weight = 1 / (time.value * time.value);
  if (std::isnormal(weight)) return weight;
  throw InputError("a time is " + std::string{time.value < 1 ? "so short" : "so long"} +
                   " that 1/time^2 can't be computed: check its unit");
}

}  // namespace

Observations Observations::between(std::size_t first, std::size_t last) const {
  Observations part;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i] < first || points[i] > last) continue;
    part.points.push_back(points[i]);
    part.sizes.push_back(sizes[i]);
    part.times.push_back(times[i]);
    part.floors.push_back(floors[i]);
    if (!weights.empty()) part.weights.push_back(weights[i]);
  }
  return part;
}

Observations observe(const Sweep& sweep, const Escalations& escalations, Weights weights) {
  Observations result;
  const std::vector<double> limits = escalation_limits(sweep, escalations);
  for (std::size_t p = 0; p < sweep.points.size(); ++p) {
    const SweepPoint& point = sweep.points[p];
    const bool inside = escalations.found && p >= escalations.first && p <= escalations.last;
    const std::vector<double> times = inside ? undisturbed(point, limits[p]) : point.times_s;
    if (times.empty()) continue;
    result.points.push_back(p);
    result.sizes.push_back(point.size);
    result.times.push_back(Seconds{median(times)});
    result.floors.push_back(Seconds{standard_error(point, times)});
  }
  if (result.times.empty()) return result;
  tame(result);
  if (is_relative(weights, result.times)) {
    for (const Seconds time : result.times) result.weights.push_back(relative_weight(time));
  }
  return result;
}

Segment line_through(const Observations& observations, double confidence) {
  SegmentationOptions options;
  options.breaks = 0;
  options.confidence = confidence;
  return segmented_regression(observations.sizes, observations.times, options, observations.weights,
                              observations.floors)
      .segments.front();
}

}  // namespace commgauge
