#include <dlfcn.h>
#include <time.h>

/// Preloaded, stands in for a machine that gives every thread half of its core.
extern "C" int clock_gettime(clockid_t clock, timespec* now) noexcept {
  static auto* const real =
      reinterpret_cast<int (*)(clockid_t, timespec*)>(dlsym(RTLD_NEXT, "clock_gettime"));
  const int code = real(clock, now);
  if (code != 0 || clock != CLOCK_THREAD_CPUTIME_ID) return code;
  constexpr long second = 1'000'000'000;
  const long long half = (now->tv_sec * static_cast<long long>(second) + now->tv_nsec) / 2;
  *now = {static_cast<time_t>(half / second), static_cast<long>(half % second)};
  return code;
}
