#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "commgauge/base/units.hpp"
#include "segmentation/partition_search.hpp"

namespace commgauge {

/// Observations as numbers. x counts from the smallest size: exact, and short.
struct ObservedSeries {
  std::vector<double> x;
  std::vector<double> y;
  std::vector<double> weight;
  std::vector<double> floor;  ///< weighted square of the smallest believable deviation
  double origin{};            ///< the smallest size [bytes]
  [[nodiscard]] std::size_t count() const { return x.size(); }
};

/// First observations of the distinct sizes, and behind them the number of observations.
using Starts = std::vector<std::size_t>;

/// Observations first ... end - 1.
struct ObservationRange {
  std::size_t first{};
  std::size_t end{};
  [[nodiscard]] std::size_t count() const { return end - first; }
};

/// @throws InputError  lengths differ, not ascending, something not finite or not positive.
void require_series(std::span<const Bytes> sizes, std::span<const Seconds> times,
                    std::span<const double> weights, std::span<const Seconds> floors);

/// @pre require_series()
[[nodiscard]] ObservedSeries as_numbers(std::span<const Bytes> sizes,
                                        std::span<const Seconds> times,
                                        std::span<const double> weights,
                                        std::span<const Seconds> floors);

[[nodiscard]] Starts starts_of_sizes(const ObservedSeries& series);

/// Around the first value: equal ones have exactly their value as mean.
[[nodiscard]] double weighted_mean(const std::vector<double>& values,
                                   const std::vector<double>& weights, ObservationRange range);

/// A point for each distinct size.
[[nodiscard]] std::vector<SizePoint> points_of(const ObservedSeries& series, const Starts& starts);

}  // namespace commgauge
