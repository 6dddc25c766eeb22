#pragma once

#include <time.h>

namespace commgauge::bench {

[[nodiscard]] inline double seconds_of(const timespec& time) {
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// What one of the system's clocks shows, such as CLOCK_MONOTONIC [s].
[[nodiscard]] inline double read(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return seconds_of(now);
}

}  // namespace commgauge::bench
