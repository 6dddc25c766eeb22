#include "thresholds/escalations/noise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "commgauge/base/statistics.hpp"

namespace commgauge {

namespace {

constexpr double noise_quantile = 0.9;  ///< of a size's excesses: a rare spike is no noise
constexpr double quiet_sizes = 0.25;    ///< quantile over the sizes: escalations spare so many
/// Times such an excess: of exponential noise, whose 90 % quantile is ln 10 of its mean above its
/// beginning, one repetition in 10^3 lies beyond, of normal noise none.
constexpr double noise_factor = 3;

double size_of(const SweepPoint& point) { return static_cast<double>(point.size.value); }

/// A size and what it takes [s].
struct Level {
  double size{};
  double time{};
};

/// For every point the shortest median of larger sizes: a gather takes no less time for more.
std::vector<Level> larger_levels(const Sweep& sweep) {
  std::vector<Level> levels(sweep.points.size(), {0, std::numeric_limits<double>::infinity()});
  for (std::size_t p = levels.size() - 1; p-- > 0;) {
    const SweepPoint& next = sweep.points[p + 1];
    levels[p] = levels[p + 1];
    const double time = median(next.times_s);
    if (time < levels[p].time) levels[p] = {size_of(next), time};
  }
  return levels;
}

}  // namespace

double Noise::at(double undisturbed_s) const { return std::max(absolute_s, ratio * undisturbed_s); }

Noise noise_of(const Sweep& sweep, const std::vector<double>& undisturbed_s) {
  std::vector<double> absolute;
  std::vector<double> relative;
  for (std::size_t p = 0; p < undisturbed_s.size(); ++p) {
    const double excess = quantile(sweep.points[p].times_s, noise_quantile) - undisturbed_s[p];
    absolute.push_back(excess);
    relative.push_back(excess / undisturbed_s[p]);
  }
  return {noise_factor * quantile(absolute, quiet_sizes),
          noise_factor * quantile(relative, quiet_sizes)};
}

double own_noise(const SweepPoint& point) {
  return noise_factor * (median(point.times_s) - std::ranges::min(point.times_s));
}

std::vector<double> shortest_times(const Sweep& sweep) {
  std::vector<double> times;
  for (const SweepPoint& point : sweep.points) times.push_back(std::ranges::min(point.times_s));
  return times;
}

std::vector<double> undisturbed_times(const Sweep& sweep) {
  std::vector<double> times = shortest_times(sweep);
  const Noise noise = noise_of(sweep, times);
  const std::vector<Level> larger = larger_levels(sweep);
  std::optional<Level> smaller;
  for (std::size_t p = 0; p < times.size(); ++p) {
    const double size = size_of(sweep.points[p]);
    const Level after = larger[p];
    if (times[p] <= after.time + noise.at(after.time)) {
      smaller = {size, times[p]};
      continue;
    }
    const Level before = smaller.value_or(after);
    const double share = before.size < size ? (size - before.size) / (after.size - before.size) : 1;
    times[p] = std::lerp(before.time, after.time, share);
  }
  return times;
}

}  // namespace commgauge
