#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "commgauge/base/units.hpp"

namespace commgauge::testing {

/// Sizes and times of one sweep.
struct Observations {
  std::vector<Bytes> sizes;
  std::vector<Seconds> times;
};

/// `count` distinct sizes, evenly spaced on a logarithmic scale, each at least one above the last.
inline std::vector<Bytes> logarithmic_sizes(std::size_t count, double least, double most) {
  std::vector<Bytes> sizes;
  for (std::size_t i = 0; i < count; ++i) {
    const double part = static_cast<double>(i) / static_cast<double>(count - 1);
    auto size = static_cast<std::uint64_t>(std::llround(least * std::pow(most / least, part)));
    if (!sizes.empty()) size = std::max(size, sizes.back().value + 1);
    sizes.push_back({size});
  }
  return sizes;
}

/// Weights for relative errors: 1/time^2.
inline std::vector<double> relative_weights(const std::vector<Seconds>& times) {
  std::vector<double> weights;
  for (const auto time : times) weights.push_back(1 / (time.value * time.value));
  return weights;
}

/// Three protocols, breaks after a third and two thirds of the sizes, and relative noise.
inline Observations three_protocols(std::vector<Bytes> sizes, double noise,
                                    std::mt19937_64& random) {
  std::normal_distribution<double> deviation(0, noise);
  Observations result{std::move(sizes), {}};
  const std::size_t n = result.sizes.size();
  for (std::size_t i = 0; i < n; ++i) {
    const auto size = static_cast<double>(result.sizes[i].value);
    const double time = i < n / 3       ? 2e-6 + 0.8e-9 * size
                        : i < 2 * n / 3 ? 3e-6 + 0.5e-9 * size
                                        : 9e-6 + 0.3e-9 * size;
    result.times.push_back({time * (1 + deviation(random))});
  }
  return result;
}

}  // namespace commgauge::testing
