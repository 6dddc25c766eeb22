#include "segmentation/series.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "commgauge/base/error.hpp"

namespace commgauge {
namespace {

/// Of a time: never believed to be more exact. Far above the round-off of a line through exact
/// times, which would be taken for breaks, and far below what any clock tells.
constexpr double round_off_part = 1e-9;

void require_lengths(std::size_t sizes, std::size_t times, std::size_t weights,
                     std::size_t floors) {
  const auto refuse = [&](const std::string& what, std::size_t count) {
    throw InputError("no segments (" + std::to_string(sizes) + " sizes, but " +
                     std::to_string(count) + " " + what + "): give one for each size");
  };
  if (times != sizes) refuse("times", times);
  if (weights != 0 && weights != sizes) refuse("weights", weights);
  if (floors != 0 && floors != sizes) refuse("floors", floors);
}

void require_values(std::span<const Bytes> sizes, std::span<const Seconds> times,
                    std::span<const double> weights, std::span<const Seconds> floors) {
  if (!std::ranges::is_sorted(sizes))
    throw InputError("no segments (the sizes don't ascend): sort the observations by size");
  if (!std::ranges::all_of(times, [](Seconds t) { return std::isfinite(t.value); }))
    throw InputError("no segments (a time is not finite): leave it out");
  if (!std::ranges::all_of(weights, [](double w) { return std::isfinite(w) && w > 0; }))
    throw InputError("no segments (a weight is not a positive number): leave its time out");
  if (!std::ranges::all_of(floors,
                           [](Seconds f) { return f.value >= 0 && std::isfinite(f.value); }))
    throw InputError("no segments (a floor is negative or not finite): give 0 where none is known");
}

SizePoint point_of_size(const ObservedSeries& series, ObservationRange range) {
  SizePoint point{series.x[range.first], weighted_mean(series.y, series.weight, range), 0, 0};
  for (std::size_t i = range.first; i < range.end; ++i) {
    const double deviation = series.y[i] - point.y;
    point.weight += series.weight[i];
    point.within += series.weight[i] * deviation * deviation;
  }
  return point;
}

}  // namespace

void require_series(std::span<const Bytes> sizes, std::span<const Seconds> times,
                    std::span<const double> weights, std::span<const Seconds> floors) {
  require_lengths(sizes.size(), times.size(), weights.size(), floors.size());
  require_values(sizes, times, weights, floors);
}

ObservedSeries as_numbers(std::span<const Bytes> sizes, std::span<const Seconds> times,
                          std::span<const double> weights, std::span<const Seconds> floors) {
  ObservedSeries series;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const double weight = weights.empty() ? 1 : weights[i];
    const double given = floors.empty() ? 0 : floors[i].value;
    const double floor = std::max(given, round_off_part * std::abs(times[i].value));
    series.x.push_back(static_cast<double>(sizes[i].value - sizes.front().value));
    series.y.push_back(times[i].value);
    series.weight.push_back(weight);
    series.floor.push_back(weight * floor * floor);
  }
  if (!sizes.empty()) series.origin = static_cast<double>(sizes.front().value);
  return series;
}

Starts starts_of_sizes(const ObservedSeries& series) {
  Starts starts;
  for (std::size_t i = 0; i < series.count(); ++i)
    if (i == 0 || series.x[i] != series.x[i - 1]) starts.push_back(i);
  starts.push_back(series.count());
  return starts;
}

double weighted_mean(const std::vector<double>& values, const std::vector<double>& weights,
                     ObservationRange range) {
  double sum = 0;
  double weight = 0;
  for (std::size_t i = range.first; i < range.end; ++i) {
    sum += weights[i] * (values[i] - values[range.first]);
    weight += weights[i];
  }
  return values[range.first] + sum / weight;
}

std::vector<SizePoint> points_of(const ObservedSeries& series, const Starts& starts) {
  std::vector<SizePoint> points;
  points.reserve(starts.size());
  for (std::size_t i = 0; i + 1 < starts.size(); ++i)
    points.push_back(point_of_size(series, {starts[i], starts[i + 1]}));
  return points;
}

}  // namespace commgauge
