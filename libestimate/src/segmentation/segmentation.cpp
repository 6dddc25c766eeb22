#include "commgauge/segmentation/segmentation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <utility>

#include "commgauge/base/error.hpp"
#include "segmentation/break_intervals.hpp"
#include "segmentation/fitted_line.hpp"
#include "segmentation/partition_search.hpp"
#include "segmentation/segments_between.hpp"
#include "segmentation/series.hpp"

namespace commgauge {
namespace {

void require_options(const SegmentationOptions& options) {
  if (options.breaks.value_or(0) < 0)
    throw InputError("no partition with " + std::to_string(*options.breaks) +
                     " breaks (a count is meant): give 0 or more");
  if (options.most_breaks < 0)
    throw InputError("no choice from up to " + std::to_string(options.most_breaks) +
                     " breaks (a count is meant): give 0 or more");
  if (options.min_segment < 3)
    throw InputError("no segments of " + std::to_string(options.min_segment) +
                     " sizes (two points leave no residual to judge a line by): give 3 or more");
  if (!(options.confidence > 0 && options.confidence < 1))
    throw InputError("no confidence level " + std::to_string(options.confidence) +
                     " (a probability strictly between 0 and 1 is meant): give one such as 0.95");
}

double believable_rss(double rss, double floor) {
  return std::max({rss, floor, std::numeric_limits<double>::min()});
}

/// The criteria without their penalties: -2 ln of the greatest likelihood.
double deviance(const ObservedSeries& series, double rss) {
  const auto n = static_cast<double>(series.count());
  double log_weights = 0;
  for (const double w : series.weight) log_weights += std::log(w);
  return n * (std::log(rss) + 1 - std::log(n) + std::log(2 * std::numbers::pi)) - log_weights;
}

std::vector<ObservationRange> ranges_between(const std::vector<std::size_t>& breaks,
                                             std::size_t count) {
  std::vector<ObservationRange> ranges;
  ranges.reserve(breaks.size() + 1);
  std::size_t first = 0;
  for (const auto last : breaks) ranges.push_back({std::exchange(first, last + 1), last + 1});
  ranges.push_back({first, count});
  return ranges;
}

Partition judged(const ObservedSeries& series, std::vector<std::size_t> breaks) {
  const auto n = static_cast<double>(series.count());
  const double parameters = (regressors + 1) * static_cast<double>(breaks.size() + 1);
  Partition partition{std::move(breaks), 0, 0, 0};
  double floor = 0;
  for (const auto range : ranges_between(partition.breaks, series.count())) {
    const auto line = fit_line(series, range);
    partition.rss += line.rss;
    floor += line.floor;
  }
  const double misfit = deviance(series, believable_rss(partition.rss, floor));
  if (!std::isfinite(misfit) || !std::isfinite(partition.rss))
    throw InputError(
        "no segments (the weighted squares are beyond what a double holds): "
        "scale the times or the weights");
  partition.bic = misfit + std::log(n) * parameters;
  partition.lwz = misfit + 0.299 * std::pow(std::log(n), 2.1) * parameters;
  return partition;
}

/// How many breaks the search goes up to.
std::size_t breaks_to_try(std::size_t distinct, const SegmentationOptions& options) {
  const auto h = static_cast<std::size_t>(options.min_segment);
  if (distinct < h)
    throw FitError("no segments (" + std::to_string(distinct) +
                   " distinct sizes, a segment needs " + std::to_string(h) +
                   "): measure more sizes, or ask for shorter segments");
  if (!options.breaks) {
    const auto whole_segments = (distinct + h - 1) / h;
    const auto feasible = whole_segments < 2 ? 0 : whole_segments - 2;
    return std::min(feasible, static_cast<std::size_t>(options.most_breaks));
  }
  const auto breaks = static_cast<std::size_t>(*options.breaks);
  if (breaks >= distinct / h)
    throw FitError("no partition with " + std::to_string(breaks) + " breaks (segments of " +
                   std::to_string(h) + " sizes need " + std::to_string((breaks + 1) * h) +
                   " distinct sizes, there are " + std::to_string(distinct) +
                   "): ask for fewer breaks or shorter segments, or measure more sizes");
  return breaks;
}

std::vector<Partition> candidates(const ObservedSeries& series, const Starts& starts,
                                  const SegmentationOptions& options) {
  const auto most = breaks_to_try(starts.size() - 1, options);
  const auto h = static_cast<std::size_t>(options.min_segment);
  std::vector<Partition> result;
  for (auto breaks : best_partitions(points_of(series, starts), h, most)) {
    for (auto& last : breaks) last = starts[last + 1] - 1;
    result.push_back(judged(series, std::move(breaks)));
  }
  return result;
}

const Partition& chosen(const std::vector<Partition>& tried, const SegmentationOptions& options) {
  if (options.breaks) return tried.back();
  const auto value = options.criterion == Criterion::bic ? &Partition::bic : &Partition::lwz;
  return *std::ranges::min_element(tried, {}, value);
}

/// A partition's lines, with intervals of them and of the breaks.
Segmentation with_lines(const ObservedSeries& series, const Starts& starts,
                        const SegmentationOptions& options, const Partition& best) {
  Segmentation result;
  result.rss = best.rss;
  result.bic = best.bic;
  result.lwz = best.lwz;
  const auto ranges = ranges_between(best.breaks, series.count());
  std::vector<FittedLine> lines;
  for (const auto range : ranges) {
    lines.push_back(fit_line(series, range));
    result.segments.push_back(segment_of(series, range, lines.back(), options.confidence));
  }
  const BreakIntervals intervals(series, starts, options, ranges, lines);
  for (std::size_t i = 0; i < best.breaks.size(); ++i)
    result.breaks.push_back(intervals.interval(i));
  return result;
}

}  // namespace

Segmentation segments_between(std::vector<std::size_t> breaks, std::span<const Bytes> sizes,
                              std::span<const Seconds> times, const SegmentationOptions& options,
                              std::span<const double> weights, std::span<const Seconds> floors) {
  const auto series = as_numbers(sizes, times, weights, floors);
  return with_lines(series, starts_of_sizes(series), options, judged(series, std::move(breaks)));
}

Segmentation segmented_regression(std::span<const Bytes> sizes, std::span<const Seconds> times,
                                  const SegmentationOptions& options,
                                  std::span<const double> weights,
                                  std::span<const Seconds> floors) {
  require_series(sizes, times, weights, floors);
  require_options(options);
  const auto series = as_numbers(sizes, times, weights, floors);
  const auto starts = starts_of_sizes(series);

  auto tried = candidates(series, starts, options);
  Segmentation result = with_lines(series, starts, options, chosen(tried, options));
  result.candidates = std::move(tried);
  return result;
}

}  // namespace commgauge
