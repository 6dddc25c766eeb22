#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "commgauge/base/statistics.hpp"

namespace commgauge {

[[nodiscard]] inline std::vector<double> inverse_squares(std::span<const double> values) {
  std::vector<double> weights;
  for (const double value : values) weights.push_back(1 / (value * value));
  return weights;
}

/// Weights 1/t² of times whose errors are relative. t comes from a fit with weights 1/measured²: by
/// the measured times themselves those that are short by chance would count more, and the fit be
/// too low by about twice the square of their relative error, which no mean over pairs or launches
/// takes away. Where that fit is off by more than a factor of two, t is the measured time by two.
/// @param fitted  weights → the fit's times
template <class MakeFitted>
[[nodiscard]] std::vector<double> relative_weights(std::span<const double> times,
                                                   MakeFitted&& fitted) {
  std::vector<double> weights = inverse_squares(times);
  const std::vector<double> usual = fitted(weights);
  for (std::size_t k = 0; k < times.size(); ++k) {
    const double t = std::clamp(usual[k], times[k] / 2, times[k] * 2);
    weights[k] = 1 / (t * t);
  }
  return weights;
}

/// Of a line's times.
[[nodiscard]] inline std::vector<double> line_weights(std::span<const double> x,
                                                      std::span<const double> times) {
  return relative_weights(times, [&](std::span<const double> weights) {
    const Line line = fit_line(x, times, weights);
    std::vector<double> fitted;
    for (const double size : x) fitted.push_back(line.intercept + line.slope * size);
    return fitted;
  });
}

}  // namespace commgauge
