#include "base/real_time.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include "system/c_library.hpp"

namespace commgauge::emulate {

namespace {

/// Past the functions that the emulation puts in place of the C library's.
double read_clock(clockid_t clock) {
  timespec now{};
  preload::system_call(SYS_clock_gettime, clock, &now);
  return seconds_of(now);
}

timespec to_timespec(double seconds) {
  const auto whole = static_cast<time_t>(seconds);
  return {whole, static_cast<long>((seconds - static_cast<double>(whole)) * 1e9)};
}

}  // namespace

double real_time() {
  // Without a call of the system.
  timespec now{};
  preload::real_clock_gettime(CLOCK_MONOTONIC, &now);
  return seconds_of(now);
}
double cpu_time() { return read_clock(CLOCK_THREAD_CPUTIME_ID); }

void sleep_until(double real_time) {
  const timespec end = to_timespec(real_time);
  while (preload::system_call(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, &end, nullptr) !=
         0)
    continue;
}

double seconds_of(const timespec& time) {
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace commgauge::emulate
