#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "commgauge/segmentation/segmentation.hpp"
#include "segmentation_series.hpp"

namespace commgauge::testing {

enum class Grid : std::uint8_t {
  uniform,
  geometric,  ///< factor sqrt(2), less where there are too many sizes for that
  refined     ///< half the sizes as above, the others close to the breaks
};

enum class Change : std::uint8_t {
  jump,  ///< of so many standard deviations
  kink   ///< the right line leaves the left one by so many at its middle size
};

/// Lines with breaks that are all alike, and noise.
struct BreakCase {
  Grid grid{};
  std::size_t sizes{};
  std::size_t breaks{1};
  Change change{};
  double strength{};
  bool weighted{};  ///< relative noise and weights 1/time^2

  [[nodiscard]] std::string name() const {
    const std::string grids[] = {"uniform", "geometric", "refined"};
    return grids[static_cast<int>(grid)] + ", " + std::to_string(sizes) + " sizes, " +
           std::to_string(breaks) + (breaks == 1 ? " break, " : " breaks, ") +
           (weighted ? "weighted, " : "") + (change == Change::jump ? "jump " : "kink ") +
           std::to_string(strength);
  }
};

class BreakSeries {
 public:
  explicit BreakSeries(const BreakCase& one) : case_{one} {
    const auto coarse = one.grid == Grid::refined ? one.sizes / 2 : one.sizes;
    const auto factor =
        std::min(std::sqrt(2.0), std::pow(0x1p30, 1.0 / static_cast<double>(coarse - 1)));
    for (std::size_t i = 0; i < coarse; ++i)
      add(one.grid == Grid::uniform ? 1024.0 * static_cast<double>(i + 1)
                                    : 64 * std::pow(factor, static_cast<double>(i)));
    const auto known = sizes_;
    for (std::size_t b = 0; b < one.breaks; ++b) {
      const auto before = known[(b + 1) * coarse / (one.breaks + 1) - 1];
      const auto after = known[(b + 1) * coarse / (one.breaks + 1)];
      breaks_.push_back(std::floor(std::sqrt(static_cast<double>(before.value) *
                                             static_cast<double>(after.value))) +
                        0.5);
    }
    refine();
    std::ranges::sort(sizes_);
    sizes_.erase(std::unique(sizes_.begin(), sizes_.end()), sizes_.end());
  }

  [[nodiscard]] const std::vector<Bytes>& sizes() const { return sizes_; }

  [[nodiscard]] std::vector<Seconds> times(std::mt19937_64& random) const {
    std::normal_distribution<double> normal;
    std::vector<Seconds> times;
    for (const auto size : sizes_) {
      const double x = static_cast<double>(size.value);
      times.push_back({mean(x) + noise(x) * normal(random)});
    }
    return times;
  }

  /// Last observation before each break.
  [[nodiscard]] std::vector<std::size_t> last_before() const {
    std::vector<std::size_t> result;
    for (const double b : breaks_)
      result.push_back(static_cast<std::size_t>(std::ranges::count_if(
                           sizes_, [&](Bytes s) { return static_cast<double>(s.value) < b; })) -
                       1);
    return result;
  }

  [[nodiscard]] double mean(double x) const {
    double result = line(x);
    for (std::size_t b = 0; b < breaks_.size(); ++b) {
      if (x < breaks_[b]) continue;
      const double sign = b % 2 == 0 ? 1 : -1;
      if (case_.change == Change::jump)
        result += sign * case_.strength * noise(breaks_[b]);
      else
        result += sign * case_.strength * noise_at_line(middle(b)) * (x - breaks_[b]) /
                  (middle(b) - breaks_[b]);
    }
    return result;
  }

 private:
  void add(double size) { sizes_.push_back({static_cast<std::uint64_t>(std::llround(size))}); }

  void refine() {
    const auto each = (case_.sizes - sizes_.size()) / breaks_.size();
    for (const double b : breaks_)
      for (std::size_t i = 0; i < each; ++i)
        add(b * std::pow(2, (static_cast<double>(i) + 0.5) / static_cast<double>(each) - 0.5));
  }

  /// Of the sizes between a break and the next one, or the end.
  [[nodiscard]] double middle(std::size_t b) const {
    const auto place = [&](double size) {
      return std::ranges::lower_bound(sizes_, size, {},
                                      [](Bytes s) { return static_cast<double>(s.value); }) -
             sizes_.begin();
    };
    const auto end = b + 1 < breaks_.size() ? place(breaks_[b + 1]) : std::ssize(sizes_);
    return static_cast<double>(sizes_[static_cast<std::size_t>(place(breaks_[b]) + end) / 2].value);
  }

  static double line(double x) { return 1e-5 + 1e-9 * x; }
  [[nodiscard]] double noise_at_line(double x) const {
    return case_.weighted ? 0.03 * line(x) : 3e-7;
  }
  [[nodiscard]] double noise(double x) const {
    if (!case_.weighted) return 3e-7;
    if (x >= breaks_.front() && case_.change == Change::kink) return 0.03 * mean(x);
    return 0.03 * line(x);
  }

  BreakCase case_;
  std::vector<Bytes> sizes_;
  std::vector<double> breaks_;
};

struct Counted {
  int breaks{};         ///< in all series
  int covered{};        ///< by their intervals
  double mean_width{};  ///< of an interval [steps between sizes]
};

/// What becomes of the breaks in some random series, when their number is known.
inline Counted count_covered(const BreakCase& one, int repetitions,
                             std::optional<BreakVariance> variance = {}) {
  const BreakSeries series(one);
  const auto truth = series.last_before();
  SegmentationOptions options;
  options.breaks = static_cast<int>(one.breaks);
  options.break_variance = variance;
  std::seed_seq seed{static_cast<int>(one.grid),          static_cast<int>(one.sizes),
                     static_cast<int>(one.breaks),        static_cast<int>(one.change),
                     static_cast<int>(10 * one.strength), one.weighted ? 1 : 0};
  std::mt19937_64 random(seed);
  Counted result;
  for (int i = 0; i < repetitions; ++i) {
    const auto times = series.times(random);
    const auto weights = one.weighted ? relative_weights(times) : std::vector<double>{};
    const auto found = segmented_regression(series.sizes(), times, options, weights);
    for (std::size_t b = 0; b < truth.size(); ++b) {
      const auto& [last, low, high, reason] = found.breaks.at(b);
      ++result.breaks;
      if (!low || !high) continue;
      result.covered += *low <= truth[b] && truth[b] <= *high ? 1 : 0;
      result.mean_width += static_cast<double>(*high - *low) + 1;
    }
  }
  result.mean_width /= result.breaks;
  return result;
}

}  // namespace commgauge::testing
