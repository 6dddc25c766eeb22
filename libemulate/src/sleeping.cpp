// A program that sleeps states a cost: virtual time passes, and nobody has to wait for it.

#include <dlfcn.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <thread>

#include "job.hpp"

using namespace commgauge::emulate;

namespace {

/// In MPI's own work, and in other threads, time is real.
bool is_virtual() {
  static const std::thread::id main_thread = std::this_thread::get_id();
  return is_active() && !emulator().is_inside() && std::this_thread::get_id() == main_thread;
}

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

void sleep_virtually(double seconds) {
  Emulator& e = emulator();
  e.enter("sleep");
  e.sleep(seconds);
  e.leave();
}

bool is_valid(const timespec* pause) {
  return pause != nullptr && pause->tv_sec >= 0 && pause->tv_nsec >= 0 &&
         pause->tv_nsec < 1'000'000'000;
}

double seconds_of(const timespec& pause) {
  return static_cast<double>(pause.tv_sec) + 1e-9 * static_cast<double>(pause.tv_nsec);
}

}  // namespace

extern "C" {

int nanosleep(const timespec* pause, timespec* left) {
  if (!is_virtual() || !is_valid(pause)) {
    static auto* const real = next<decltype(nanosleep)>("nanosleep");
    return real(pause, left);
  }
  sleep_virtually(seconds_of(*pause));
  return 0;
}

int clock_nanosleep(clockid_t clock, int flags, const timespec* pause, timespec* left) {
  if (flags != 0 || !is_virtual() || !is_valid(pause)) {
    static auto* const real = next<decltype(clock_nanosleep)>("clock_nanosleep");
    return real(clock, flags, pause, left);
  }
  sleep_virtually(seconds_of(*pause));
  return 0;
}

int usleep(useconds_t microseconds) {
  const timespec pause{microseconds / 1'000'000, (microseconds % 1'000'000) * 1000L};
  return nanosleep(&pause, nullptr);
}

unsigned sleep(unsigned seconds) {
  timespec pause{seconds, 0};
  if (nanosleep(&pause, &pause) == 0) return 0;
  return static_cast<unsigned>(pause.tv_sec);
}

}  // extern "C"
