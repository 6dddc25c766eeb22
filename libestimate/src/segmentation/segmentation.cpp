#include "commgauge/segmentation/segmentation.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "commgauge/base/error.hpp"
#include "segmentation/break_interval.hpp"
#include "segmentation/break_positions.hpp"
#include "segmentation/partition_search.hpp"
#include "segmentation/segments_between.hpp"

namespace commgauge {
namespace {

constexpr double regressors = 2;         ///< of a segment: intercept and slope
constexpr double round_off_part = 1e-9;  ///< of a time: never believed to be more exact

/// Observations as numbers. x counts from the smallest size: exact, and short.
struct Series {
  std::vector<double> x;
  std::vector<double> y;
  std::vector<double> weight;
  std::vector<double> floor;  ///< weighted square of the smallest believable deviation
  double origin{};            ///< the smallest size [bytes]
  [[nodiscard]] std::size_t count() const { return x.size(); }
};

/// First observations of the distinct sizes, and behind them the number of observations.
using Starts = std::vector<std::size_t>;

/// Observations first ... last - 1.
struct Range {
  std::size_t first{};
  std::size_t end{};
  [[nodiscard]] std::size_t count() const { return end - first; }
};

struct FittedLine {
  double weight{};
  double mean_x{};
  double mean_y{};
  double sxx{};
  double slope{};
  double rss{};
  double floor{};  ///< that the sum of squares is never believed to be below
  [[nodiscard]] double at(double x) const { return mean_y + slope * (x - mean_x); }
};

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

Series as_numbers(std::span<const Bytes> sizes, std::span<const Seconds> times,
                  std::span<const double> weights, std::span<const Seconds> floors) {
  Series series;
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

Starts starts_of_sizes(const Series& series) {
  Starts starts;
  for (std::size_t i = 0; i < series.count(); ++i)
    if (i == 0 || series.x[i] != series.x[i - 1]) starts.push_back(i);
  starts.push_back(series.count());
  return starts;
}

/// Around the first value: equal ones have exactly their value as mean.
double weighted_mean(const std::vector<double>& values, const std::vector<double>& weights,
                     Range range) {
  double sum = 0;
  double weight = 0;
  for (std::size_t i = range.first; i < range.end; ++i) {
    sum += weights[i] * (values[i] - values[range.first]);
    weight += weights[i];
  }
  return values[range.first] + sum / weight;
}

SizePoint point_of_size(const Series& series, Range range) {
  SizePoint point{series.x[range.first], weighted_mean(series.y, series.weight, range), 0, 0};
  for (std::size_t i = range.first; i < range.end; ++i) {
    const double deviation = series.y[i] - point.y;
    point.weight += series.weight[i];
    point.within += series.weight[i] * deviation * deviation;
  }
  return point;
}

std::vector<SizePoint> points_of(const Series& series, const Starts& starts) {
  std::vector<SizePoint> points;
  points.reserve(starts.size());
  for (std::size_t i = 0; i + 1 < starts.size(); ++i)
    points.push_back(point_of_size(series, {starts[i], starts[i + 1]}));
  return points;
}

/// In two passes, around the means.
FittedLine fit(const Series& series, Range range) {
  FittedLine line;
  line.mean_x = weighted_mean(series.x, series.weight, range);
  line.mean_y = weighted_mean(series.y, series.weight, range);
  double sxy = 0;
  for (std::size_t i = range.first; i < range.end; ++i) {
    const double dx = series.x[i] - line.mean_x;
    line.weight += series.weight[i];
    line.sxx += series.weight[i] * dx * dx;
    sxy += series.weight[i] * dx * (series.y[i] - line.mean_y);
  }
  line.slope = sxy / line.sxx;
  for (std::size_t i = range.first; i < range.end; ++i) {
    const double residual = (series.y[i] - line.mean_y) - line.slope * (series.x[i] - line.mean_x);
    line.rss += series.weight[i] * residual * residual;
    line.floor += series.floor[i];
  }
  return line;
}

double believable_rss(double rss, double floor) {
  return std::max({rss, floor, std::numeric_limits<double>::min()});
}

/// Mean weighted square of the step between two lines over some observations.
double mean_change(const Series& series, Range range, const FittedLine& a, const FittedLine& b) {
  double sum = 0;
  for (std::size_t i = range.first; i < range.end; ++i) {
    const double step = a.at(series.x[i]) - b.at(series.x[i]);
    sum += series.weight[i] * step * step;
  }
  return sum / static_cast<double>(range.count());
}

/// The criteria without their penalties: -2 ln of the greatest likelihood.
double deviance(const Series& series, double rss) {
  const auto n = static_cast<double>(series.count());
  double log_weights = 0;
  for (const double w : series.weight) log_weights += std::log(w);
  return n * (std::log(rss) + 1 - std::log(n) + std::log(2 * std::numbers::pi)) - log_weights;
}

std::vector<Range> ranges_between(const std::vector<std::size_t>& breaks, std::size_t count) {
  std::vector<Range> ranges;
  ranges.reserve(breaks.size() + 1);
  std::size_t first = 0;
  for (const auto last : breaks) ranges.push_back({std::exchange(first, last + 1), last + 1});
  ranges.push_back({first, count});
  return ranges;
}

Partition judged(const Series& series, std::vector<std::size_t> breaks) {
  const auto n = static_cast<double>(series.count());
  const double parameters = (regressors + 1) * static_cast<double>(breaks.size() + 1);
  Partition partition{std::move(breaks), 0, 0, 0};
  double floor = 0;
  for (const auto range : ranges_between(partition.breaks, series.count())) {
    const auto line = fit(series, range);
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

std::vector<Partition> candidates(const Series& series, const Starts& starts,
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

Segment described(const Series& series, Range range, const FittedLine& line, double confidence) {
  const double at_zero = -series.origin - line.mean_x;
  const double intercept = line.mean_y + line.slope * at_zero;
  const double dof = static_cast<double>(range.count()) - regressors;
  double of_intercept = std::numeric_limits<double>::quiet_NaN();
  double of_slope = of_intercept;
  if (dof > 0) {
    const double variance = std::max(line.rss, line.floor) / dof;
    const double t = student_quantile(confidence, dof);
    of_slope = t * std::sqrt(variance / line.sxx);
    of_intercept = t * std::sqrt(variance * (1 / line.weight + at_zero / line.sxx * at_zero));
  }
  return {range.first,
          range.end - 1,
          {intercept, intercept - of_intercept, intercept + of_intercept},
          {line.slope, line.slope - of_slope, line.slope + of_slope},
          line.rss};
}

/// The intervals of the breaks between given segments.
class BreakIntervals {
 public:
  BreakIntervals(const Series& series, const Starts& starts, const SegmentationOptions& options,
                 const std::vector<Range>& ranges, const std::vector<FittedLine>& lines)
      : series_{series}, starts_{starts}, options_{options}, ranges_{ranges}, lines_{lines} {
    for (const auto& line : lines) {
      noise_.rss += line.rss;
      noise_.floor += line.floor;
    }
    noise_.dof =
        static_cast<double>(series.count()) - regressors * static_cast<double>(lines.size());
    if (!options.break_variance) points_ = points_of(series, starts);
  }

  /// @param i  the break between segments i and i + 1
  [[nodiscard]] Break interval(std::size_t i) const {
    if (!options_.break_variance) return tested_interval(i);
    Break result{ranges_[i].end - 1, {}, {}, {}};
    const auto left = side(i, i);
    const auto right = side(i, i + 1);
    if (!(left.change > 0 && right.change > 0)) {
      result.no_interval = same_lines;
    } else if (!(left.variance + right.variance > 0)) {
      result.no_interval = "the times have no spread to judge by";
    } else if (const auto reach = break_reach(left, right, options_.confidence)) {
      enclose(result, *reach);
    } else {
      result.no_interval = one_sided(left, right);
    }
    return result;
  }

 private:
  static constexpr auto same_lines = "the lines on both sides are the same";

  [[nodiscard]] Break tested_interval(std::size_t i) const {
    Break result{ranges_[i].end - 1, {}, {}, {}};
    if (!(mean_change(series_, {0, series_.count()}, lines_[i], lines_[i + 1]) > 0)) {
      result.no_interval = same_lines;
      return result;
    }
    const bool before = i > 0;
    const bool behind = i + 2 < ranges_.size();
    const auto first = point_at(ranges_[before ? i - 1 : i].first);
    const auto end = point_at(ranges_[behind ? i + 2 : i + 1].end - 1) + 1;
    const auto [low, high] = break_positions(std::span(points_).subspan(first, end - first),
                                             {point_at(result.last) - first, before, behind},
                                             static_cast<std::size_t>(options_.min_segment), noise_,
                                             options_.confidence);
    result.low = starts_[first + low];
    result.high = starts_[first + high + 1] - 1;
    return result;
  }

  [[nodiscard]] BreakSide side(std::size_t i, std::size_t segment) const {
    if (options_.break_variance == BreakVariance::equal)
      return {std::max(noise_.rss, noise_.floor) / static_cast<double>(series_.count()),
              mean_change(series_, {0, series_.count()}, lines_[i], lines_[i + 1])};
    const auto& line = lines_[segment];
    const auto range = ranges_[segment];
    return {std::max(line.rss, line.floor) / static_cast<double>(range.count()),
            mean_change(series_, range, lines_[i], lines_[i + 1])};
  }

  void enclose(Break& result, const BreakReach& reach) const {
    const auto most = static_cast<double>(series_.count());
    const auto below = static_cast<std::size_t>(std::min(std::ceil(reach.below), most));
    const auto above = static_cast<std::size_t>(std::min(std::ceil(reach.above), most));
    result.low = first_of_size(result.last - std::min(below, result.last));
    result.high = last_of_size(std::min(result.last + above, series_.count() - 1));
  }

  /// Which of the distinct sizes this observation has.
  [[nodiscard]] std::size_t point_at(std::size_t observation) const {
    return static_cast<std::size_t>(std::ranges::upper_bound(starts_, observation) -
                                    starts_.begin()) -
           1;
  }

  [[nodiscard]] std::size_t first_of_size(std::size_t observation) const {
    return starts_[point_at(observation)];
  }

  [[nodiscard]] std::size_t last_of_size(std::size_t observation) const {
    return starts_[point_at(observation) + 1] - 1;
  }

  static std::string one_sided(const BreakSide& left, const BreakSide& right) {
    const bool before = left.variance > right.variance;
    return std::string("the times scatter too much more on the ") + (before ? "left" : "right") +
           " side: the estimate is all but sure to lie " + (before ? "at or before" : "after") +
           " the true break";
  }

  const Series& series_;
  const Starts& starts_;
  const SegmentationOptions& options_;
  const std::vector<Range>& ranges_;
  const std::vector<FittedLine>& lines_;
  std::vector<SizePoint> points_;  ///< for tested intervals only
  SeriesNoise noise_;
};

/// A partition's lines, with intervals of them and of the breaks.
Segmentation with_lines(const Series& series, const Starts& starts,
                        const SegmentationOptions& options, const Partition& best) {
  Segmentation result;
  result.rss = best.rss;
  result.bic = best.bic;
  result.lwz = best.lwz;
  const auto ranges = ranges_between(best.breaks, series.count());
  std::vector<FittedLine> lines;
  for (const auto range : ranges) {
    lines.push_back(fit(series, range));
    result.segments.push_back(described(series, range, lines.back(), options.confidence));
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
  require_lengths(sizes.size(), times.size(), weights.size(), floors.size());
  require_values(sizes, times, weights, floors);
  require_options(options);
  const auto series = as_numbers(sizes, times, weights, floors);
  const auto starts = starts_of_sizes(series);

  auto tried = candidates(series, starts, options);
  Segmentation result = with_lines(series, starts, options, chosen(tried, options));
  result.candidates = std::move(tried);
  return result;
}

}  // namespace commgauge
