#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "commgauge/tasks/measured_tasks.hpp"

/// Sets of tasks whose times are all known, of five kinds, drawn by seed.
namespace commgauge::tasks::sets {

inline const std::vector<std::string>& kinds() {
  static const std::vector<std::string> names{"smooth", "mandelbrot", "step", "heavy_tail",
                                              "noise"};
  return names;
}

/// Uniform, and the same everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed) : random_{seed} {}
  double between(double low, double high) {
    return low + (high - low) * static_cast<double>(random_() >> 11U) * 0x1p-53;
  }
  /// Box and Muller's.
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - between(0, 1)));
    return radius * std::cos(2 * std::numbers::pi * between(0, 1));
  }

 private:
  std::mt19937_64 random_;
};

/// Iterations of points of a square, which escape at |z| > 2, at most `most`.
inline int escape(std::complex<double> c, int most) {
  std::complex<double> z;
  int count = 0;
  while (count < most && std::norm(z) < 4) {
    z = z * z + c;
    ++count;
  }
  return count;
}

/// Times [s] of side x side tasks, by number.
inline std::vector<double> times_of(const std::string& kind, int side, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> shape(8);
  for (double& one : shape) one = random.between(0.3, 2);
  const double angle = random.between(0, 2 * std::numbers::pi);
  const double offset = random.between(-0.3, 0.3);
  const double height = random.between(3, 30);
  const std::complex<double> corner(random.between(-2, -1.2), random.between(-1.3, -0.7));
  const double width = random.between(0.7, 2.5);
  std::vector<double> times;
  for (int i = 0; i < side; ++i) {
    for (int j = 0; j < side; ++j) {
      const double x = static_cast<double>(j) / side;
      const double y = static_cast<double>(i) / side;
      double time = 0;
      if (kind == "smooth") {
        time = shape[0] + shape[1] * x + shape[2] * y * y +
               shape[3] * std::pow(std::sin(3 * shape[4] * x + 2 * y), 2) +
               std::exp(-10 * shape[5] * (std::pow(x - 0.5, 2) + std::pow(y - 0.4, 2)));
      } else if (kind == "mandelbrot") {
        time = 2 + escape(corner + width * std::complex<double>(x, y), 255);
      } else if (kind == "step") {
        time = (x - 0.5) * std::cos(angle) + (y - 0.5) * std::sin(angle) > offset ? height : 1;
      } else if (kind == "heavy_tail") {
        time = std::exp(random.normal());
      } else {
        time = 1 - std::log(1 - random.between(0, 1));
      }
      times.push_back(1e-6 * time);
    }
  }
  return times;
}

/// What was run, of all that there are.
inline MeasuredTasks measured_of(const Shape& shape, const std::vector<double>& times,
                                 const std::vector<std::uint64_t>& numbers) {
  MeasuredTasks measured{shape, numbers, {}, {}};
  for (const std::uint64_t number : numbers) measured.times_s.push_back(times[number]);
  return measured;
}

}  // namespace commgauge::tasks::sets
