#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace commgauge::simulate {

/// What `count` steps of a repeated sum += step make of it, each of which adds the same.
struct EqualSteps {
  double each{};
  double end{};
  std::uint64_t count{};
};

/// As many of the steps as add the same, to the bit: between two powers of two a step is rounded to
/// the same multiple of the last bit each time. (Not the first, where it is rounded to even.)
/// @pre sum >= 0, step >= 0, most > 0
[[nodiscard]] inline EqualSteps equal_steps(double sum, double step, std::uint64_t most) {
  const double next = sum + step;
  const double each = next - sum;
  const EqualSteps one{each, next, 1};
  if (each == 0) return {0, sum, most};
  if (most == 1 || sum == 0 || (next + step) - next != each) return one;
  const double limit = std::ldexp(1.0, std::ilogb(sum) + 1);
  const double room = std::floor((limit - sum) / each) - 1;
  if (!(room > 1)) return one;
  const auto count = std::min(most, static_cast<std::uint64_t>(std::min(room, 1e15)));
  return {each, sum + static_cast<double>(count) * each, count};
}

/// sum += step, so many times, to the bit. @pre sum >= 0, step >= 0
inline void add_repeatedly(double& sum, double step, std::uint64_t times) {
  while (times > 0) {
    const EqualSteps steps = equal_steps(sum, step, times);
    sum = steps.end;
    times -= steps.count;
  }
}

}  // namespace commgauge::simulate
