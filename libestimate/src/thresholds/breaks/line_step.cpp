#include "thresholds/breaks/line_step.hpp"

#include <cmath>

namespace commgauge {

namespace {

constexpr double decisive = 3;  ///< joint half widths between two lines

/// A line's time at a size [s]; the half width as if the two parameters' errors added up.
Estimate time_on(const Segment& line, Bytes size) {
  const double x = static_cast<double>(size.value);
  const double time = line.intercept.value + x * line.slope.value;
  const double half_width =
      line.intercept.high - line.intercept.value + x * (line.slope.high - line.slope.value);
  return {time, time - half_width, time + half_width};
}

}  // namespace

Estimate step_at(Bytes size, const Segment& before, const Segment& after) {
  const Estimate left = time_on(before, size);
  const Estimate right = time_on(after, size);
  const double joint = std::hypot(left.high - left.value, right.high - right.value);
  const double step = right.value - left.value;
  return {step, step - joint, step + joint};
}

bool differ_at(Bytes size, const Segment& before, const Segment& after) {
  const Estimate step = step_at(size, before, after);
  return std::abs(step.value) > decisive * (step.high - step.value);
}

}  // namespace commgauge
