#include <cmath>
#include <string>

#include "commgauge/base/error.hpp"
#include "commgauge/thresholds/thresholds.hpp"
#include "thresholds/breaks/line_step.hpp"
#include "thresholds/breaks/scatter_break.hpp"
#include "thresholds/no_threshold.hpp"

namespace commgauge {

namespace {

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

Threshold find_block_size(std::span<const Bytes> sizes, std::span<const Seconds> times,
                          const ThresholdOptions& options) {
  const SweepAnalysis analysis = analyse(one_way_sweep(sizes, times), options);
  const std::vector<Break>& breaks = analysis.segmentation.breaks;
  if (breaks.empty()) return no_threshold(one_line_explains_all);
  for (std::size_t i = 0; i < breaks.size(); ++i) {
    if (jumps(analysis, i)) return threshold_of(breaks[i], analysis.sweep);
  }
  return no_threshold("no time jumps by more than its uncertainty, only the time per byte changes");
}

}  // namespace commgauge
