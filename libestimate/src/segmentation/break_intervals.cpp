#include "segmentation/break_intervals.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace commgauge {
namespace {

constexpr auto same_lines = "the lines on both sides are the same";

std::string one_sided(const BreakSide& left, const BreakSide& right) {
  const bool before = left.variance > right.variance;
  return std::string("the times scatter too much more on the ") + (before ? "left" : "right") +
         " side: the estimate is all but sure to lie " + (before ? "at or before" : "after") +
         " the true break";
}

}  // namespace

BreakIntervals::BreakIntervals(const ObservedSeries& series, const Starts& starts,
                               const SegmentationOptions& options,
                               const std::vector<ObservationRange>& ranges,
                               const std::vector<FittedLine>& lines)
    : series_{series}, starts_{starts}, options_{options}, ranges_{ranges}, lines_{lines} {
  for (const auto& line : lines) {
    noise_.rss += line.rss;
    noise_.floor += line.floor;
  }
  noise_.dof = static_cast<double>(series.count()) - regressors * static_cast<double>(lines.size());
  if (!options.break_variance) points_ = points_of(series, starts);
}

Break BreakIntervals::interval(std::size_t i) const {
  return options_.break_variance ? bai_interval(i) : tested_interval(i);
}

Break BreakIntervals::bai_interval(std::size_t i) const {
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

Break BreakIntervals::tested_interval(std::size_t i) const {
  Break result{ranges_[i].end - 1, {}, {}, {}};
  if (!(mean_square_step(series_, {0, series_.count()}, lines_[i], lines_[i + 1]) > 0)) {
    result.no_interval = same_lines;
    return result;
  }
  const bool before = i > 0;
  const bool behind = i + 2 < ranges_.size();
  const auto first = point_at(ranges_[before ? i - 1 : i].first);
  const auto end = point_at(ranges_[behind ? i + 2 : i + 1].end - 1) + 1;
  const auto [low, high] =
      break_positions(std::span(points_).subspan(first, end - first),
                      {point_at(result.last) - first, before, behind},
                      static_cast<std::size_t>(options_.min_segment), noise_, options_.confidence);
  result.low = starts_[first + low];
  result.high = starts_[first + high + 1] - 1;
  return result;
}

BreakSide BreakIntervals::side(std::size_t i, std::size_t segment) const {
  if (options_.break_variance == BreakVariance::equal)
    return {std::max(noise_.rss, noise_.floor) / static_cast<double>(series_.count()),
            mean_square_step(series_, {0, series_.count()}, lines_[i], lines_[i + 1])};
  const auto& line = lines_[segment];
  const auto range = ranges_[segment];
  return {std::max(line.rss, line.floor) / static_cast<double>(range.count()),
          mean_square_step(series_, range, lines_[i], lines_[i + 1])};
}

void BreakIntervals::enclose(Break& result, const BreakReach& reach) const {
  const auto most = static_cast<double>(series_.count());
  const auto below = static_cast<std::size_t>(std::min(std::ceil(reach.below), most));
  const auto above = static_cast<std::size_t>(std::min(std::ceil(reach.above), most));
  result.low = first_of_size(result.last - std::min(below, result.last));
  result.high = last_of_size(std::min(result.last + above, series_.count() - 1));
}

/// Which of the distinct sizes this observation has.
std::size_t BreakIntervals::point_at(std::size_t observation) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(starts_, observation) -
                                  starts_.begin()) -
         1;
}

std::size_t BreakIntervals::first_of_size(std::size_t observation) const {
  return starts_[point_at(observation)];
}

std::size_t BreakIntervals::last_of_size(std::size_t observation) const {
  return starts_[point_at(observation) + 1] - 1;
}

}  // namespace commgauge
