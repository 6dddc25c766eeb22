#pragma once

#include <dlfcn.h>
#include <time.h>

#include <atomic>

namespace commgauge::preload {

/// The C library's own function, which one of a preloaded library with the same name takes the
/// place of.
template <class Function>
[[nodiscard]] Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

/// The same, asked for at the first call: a static one needs no guard, for which threads would
/// wait.
template <class Function>
class Next {
 public:
  constexpr explicit Next(const char* name) : name_{name} {}
  /// The one that takes the place has the same type.
  constexpr Next(Function*, const char* name) : name_{name} {}

  template <class... Arguments>
  decltype(auto) operator()(Arguments... arguments) {
    Function* function = function_.load(std::memory_order_acquire);
    if (function == nullptr) {
      function = next<Function>(name_);
      function_.store(function, std::memory_order_release);
    }
    return function(arguments...);
  }

 private:
  const char* name_;
  std::atomic<Function*> function_{};
};

/// What syscall() does, past a function that takes its place.
inline constinit Next<long(long, ...)> system_call("syscall");
/// The same of clock_gettime(), which needs no call of the system for most clocks.
inline constinit Next<int(clockid_t, timespec*)> real_clock_gettime("clock_gettime");

}  // namespace commgauge::preload
