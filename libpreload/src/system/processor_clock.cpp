#include "system/processor_clock.hpp"

#include <sys/syscall.h>
#include <time.h>

#include <algorithm>

#include "system/c_library.hpp"

namespace commgauge::preload {

namespace {

constexpr int turns = 200;
/// A change to another thread and back takes longer.
constexpr std::int64_t shorter_than_a_change = 1000;  // [ns]

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{1'000'000'000} * time.tv_sec + time.tv_nsec;
}

// Past the functions that take these clocks' place.

std::int64_t read_cpu_time() {
  timespec now{};
  system_call(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &now);
  return nanoseconds(now);
}

/// Without a call of the system.
std::int64_t read_real_time() {
  timespec now{};
  real_clock_gettime(CLOCK_MONOTONIC, &now);
  return nanoseconds(now);
}

}  // namespace

void ProcessorClock::calibrate() {
  system_reading_ = least_gap_ = std::numeric_limits<std::int64_t>::max();
  for (int turn = 0; turn < turns; ++turn) {
    const std::int64_t before = read_cpu_time();
    system_reading_ = std::min(system_reading_, read_cpu_time() - before);
  }
  for (int turn = 0; turn < turns; ++turn) {
    const std::int64_t before = at_leave();
    least_gap_ = std::min(least_gap_, at_enter() - before);
  }
}

ProcessorClock ProcessorClock::of_another() const {
  ProcessorClock other;
  other.system_reading_ = system_reading_;
  other.least_gap_ = least_gap_;
  return other;
}

std::int64_t ProcessorClock::at_enter() {
  const std::int64_t now = read_real_time();
  const std::int64_t passed = now - real_time_;
  cpu_ = passed < shorter_than_a_change ? cpu_ + passed : read_cpu_time() - system_reading_ / 2;
  real_time_ = now;
  return cpu_;
}

std::int64_t ProcessorClock::at_leave() {
  const std::int64_t now = read_real_time();
  const std::int64_t passed = now - real_time_;
  if (passed < shorter_than_a_change) {
    cpu_ += passed;
    real_time_ = now;
  } else {
    cpu_ = read_cpu_time() + system_reading_ / 2;
    real_time_ = read_real_time();
  }
  return cpu_;
}

}  // namespace commgauge::preload
