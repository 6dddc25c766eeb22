// By sleeping a program says how long something takes.

#include <threads.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "job/call.hpp"
#include "system/c_library.hpp"

using namespace commgauge::record;
using commgauge::preload::next;

namespace {

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{1'000'000'000} * time.tv_sec + time.tv_nsec;
}

/// @param work  () → the C library's answer
template <class Work>
int sleeping(Recorder& recorder, std::int64_t pause, Work&& work) {
  static const Name name = name_of("sleep");
  const int code = work();
  recorder.begin(name);
  const auto slept = static_cast<std::uint64_t>(std::max<std::int64_t>(pause, 0));
  if (code == 0) recorder.write(event::Sleep{slept});
  recorder.leave(name);
  left();
  return code;
}

/// How long it is to be slept.
std::int64_t pause_until(clockid_t clock, const timespec& end) {
  timespec now{};
  clock_gettime(clock, &now);
  return nanoseconds(end) - nanoseconds(now);
}

}  // namespace

extern "C" {

int nanosleep(const timespec* pause, timespec* left_over) {
  static auto* const real = next<decltype(nanosleep)>("nanosleep");
  Recorder* const recorder = entered(COMMGAUGE_CALLED_FROM);
  if (recorder == nullptr) return real(pause, left_over);
  return sleeping(*recorder, nanoseconds(*pause), [&] { return real(pause, left_over); });
}

int clock_nanosleep(clockid_t clock, int flags, const timespec* pause, timespec* left_over) {
  static auto* const real = next<decltype(clock_nanosleep)>("clock_nanosleep");
  Recorder* const recorder = entered(COMMGAUGE_CALLED_FROM);
  if (recorder == nullptr) return real(clock, flags, pause, left_over);
  const std::int64_t length =
      (flags & TIMER_ABSTIME) != 0 ? pause_until(clock, *pause) : nanoseconds(*pause);
  return sleeping(*recorder, length, [&] { return real(clock, flags, pause, left_over); });
}

int usleep(useconds_t microseconds) {
  const timespec pause{microseconds / 1'000'000, (microseconds % 1'000'000) * 1000L};
  return nanosleep(&pause, nullptr);
}

int thrd_sleep(const timespec* pause, timespec* left_over) {
  if (nanosleep(pause, left_over) == 0) return 0;
  return errno == EINTR ? -1 : -2;
}

unsigned sleep(unsigned seconds) {
  timespec pause{seconds, 0};
  if (nanosleep(&pause, &pause) == 0) return 0;
  return static_cast<unsigned>(pause.tv_sec);
}

}  // extern "C"
