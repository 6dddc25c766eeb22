#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "commgauge/thresholds/thresholds.hpp"
#include "samples.hpp"
#include "sweeps.hpp"

namespace commgauge::testing {

constexpr std::uint64_t scatter_truth = 65536;

inline std::vector<Bytes> half_octaves() {
  std::vector<Bytes> sizes;
  for (const Bytes size : doubling_sizes(64, 1 << 19)) {
    sizes.push_back(size);
    sizes.push_back(Bytes{size.value * 3 / 2});
  }
  return sizes;
}

/// Leaps by 0.5 ms beyond 64 KiB, and steepens a little beyond 1 KiB.
inline Sweep scatter_sweep(const std::string& kind = "scatter", std::uint64_t seed = 3) {
  return make_sweep(kind, half_octaves(), 10, seed, [](Bytes size, std::mt19937_64& r) {
    const auto m = static_cast<double>(size.value);
    const double time = 50e-6 + 4e-9 * m + (size.value > 1024 ? 10e-6 : 0);
    return (time + (size.value > scatter_truth ? 500e-6 : 0)) * (1 + 0.01 * normal(r));
  });
}

/// Escalates by 200 ms at `rate` from 8 KiB to 64 KiB, and is steeper beyond.
inline Sweep gather_sweep(double rate = 0.5, int repetitions = 20, std::uint64_t seed = 5) {
  return make_sweep(
      "gather", half_octaves(), repetitions, seed, [=](Bytes size, std::mt19937_64& r) {
        const auto m = static_cast<double>(size.value);
        const bool medium = size.value >= 8192 && size.value <= 65536;
        const double time = size.value > 65536 ? 1e-3 + 60e-9 * m : 1e-4 + 20e-9 * m;
        return time * (1 + 0.01 * std::abs(normal(r))) + (medium && chance(r, rate) ? 0.2 : 0);
      });
}

inline Sweep quiet_sweep(const std::string& kind, double factor = 1) {
  return make_sweep(kind, half_octaves(), 10, 9, [=](Bytes size, std::mt19937_64& r) {
    return factor * (1e-4 + 20e-9 * static_cast<double>(size.value)) * (1 + 0.01 * normal(r));
  });
}

inline Thresholds thresholds_of(std::vector<Sweep> sweeps, const ThresholdOptions& options = {}) {
  return find_thresholds(sweeps, options);
}

inline Measurements measured(std::vector<Sweep> sweeps, std::optional<std::uint64_t> eager_limit) {
  Measurements measurements;
  measurements.launches = {samples::launch(4)};
  measurements.launches[0].eager_limit_bytes = eager_limit;
  measurements.launches[0].eager_probed_bytes = eager_limit ? 1 << 20 : 0;
  measurements.sweeps = std::move(sweeps);
  return measurements;
}

}  // namespace commgauge::testing
