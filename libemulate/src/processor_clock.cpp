#include "processor_clock.hpp"

#include <algorithm>

#include "real_time.hpp"

namespace commgauge::emulate {

namespace {

constexpr int turns = 200;
/// A change to another thread and back takes longer.
constexpr double shorter_than_a_change = 1e-6;  // [s]

}  // namespace

void ProcessorClock::calibrate() {
  system_reading_ = least_gap_ = std::numeric_limits<double>::infinity();
  for (int turn = 0; turn < turns; ++turn) {
    const double before = cpu_time();
    system_reading_ = std::min(system_reading_, cpu_time() - before);
  }
  for (int turn = 0; turn < turns; ++turn) {
    const double before = at_leave();
    least_gap_ = std::min(least_gap_, at_enter() - before);
  }
}

ProcessorClock ProcessorClock::of_another() const {
  ProcessorClock other;
  other.system_reading_ = system_reading_;
  other.least_gap_ = least_gap_;
  return other;
}

double ProcessorClock::at_enter() {
  const double now = real_time();
  const double passed = now - real_time_;
  cpu_ = passed < shorter_than_a_change ? cpu_ + passed : cpu_time() - system_reading_ / 2;
  real_time_ = now;
  return cpu_;
}

double ProcessorClock::at_leave() {
  const double now = real_time();
  const double passed = now - real_time_;
  if (passed < shorter_than_a_change) {
    cpu_ += passed;
    real_time_ = now;
  } else {
    cpu_ = cpu_time() + system_reading_ / 2;
    real_time_ = real_time();
  }
  return cpu_;
}

}  // namespace commgauge::emulate
