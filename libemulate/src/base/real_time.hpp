#pragma once

#include <time.h>

#include <cmath>
#include <cstdint>

namespace commgauge::emulate {

// This machine's own clocks, whatever a program is shown.

/// The same on all processes of the machine [s].
[[nodiscard]] double real_time();
/// Used by the calling thread [s].
[[nodiscard]] double cpu_time();
void sleep_until(double real_time);

[[nodiscard]] inline std::int64_t nanoseconds(double seconds) {
  return std::llround(seconds * 1e9);
}
[[nodiscard]] double seconds_of(const timespec& time);

}  // namespace commgauge::emulate
