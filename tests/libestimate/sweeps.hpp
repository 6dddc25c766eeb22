#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "commgauge/measurements/sweep.hpp"

namespace commgauge::testing {

/// first, 2·first, 4·first, …, last.
inline std::vector<Bytes> doubling_sizes(std::uint64_t first, std::uint64_t last) {
  std::vector<Bytes> sizes;
  for (std::uint64_t size = first; size <= last; size *= 2) sizes.push_back(Bytes{size});
  return sizes;
}

/// What a repetition of one size takes [s].
using Clock = std::function<double(Bytes, std::mt19937_64&)>;

inline Sweep make_sweep(const std::string& kind, const std::vector<Bytes>& sizes, int repetitions,
                        std::uint64_t seed, const Clock& clock) {
  Sweep sweep;
  sweep.kind = kind;
  std::mt19937_64 random{seed};
  for (const Bytes size : sizes) {
    SweepPoint point;
    point.size = size;
    for (int r = 0; r < repetitions; ++r) point.times_s.push_back(clock(size, random));
    sweep.points.push_back(point);
  }
  return sweep;
}

/// As a sweep measures them: in passes, each of one repetition of all sizes in a random order.
inline Sweep make_sweep_in_passes(const std::string& kind, std::vector<Bytes> sizes, int passes,
                                  std::uint64_t seed, const Clock& clock) {
  Sweep sweep;
  sweep.kind = kind;
  std::mt19937_64 random{seed};
  for (int pass = 0; pass < passes; ++pass) {
    std::shuffle(sizes.begin(), sizes.end(), random);
    for (const Bytes size : sizes) add_times(sweep, size, {{clock(size, random)}}, {{pass}});
  }
  return sweep;
}

inline double uniform(std::mt19937_64& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}
inline double normal(std::mt19937_64& random) { return std::normal_distribution<double>()(random); }
inline bool chance(std::mt19937_64& random, double probability) {
  return uniform(random, 0, 1) < probability;
}

/// Exponential: what delays there are on a quiet machine [s].
inline double jitter(std::mt19937_64& random, double mean) {
  return -mean * std::log(uniform(random, 1e-300, 1));
}

inline Sweep single_times(Sweep sweep) {
  for (SweepPoint& point : sweep.points) point.times_s.resize(1);
  return sweep;
}

}  // namespace commgauge::testing
