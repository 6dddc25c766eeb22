#include "system/futex_lock.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>

#include <cmath>

#include "system/c_library.hpp"

namespace commgauge::preload {

namespace {

constexpr int spins = 100;  ///< tries for the lock, before one sleeps

timespec to_timespec(double seconds) {
  const auto whole = static_cast<time_t>(seconds);
  return {whole, static_cast<long>((seconds - static_cast<double>(whole)) * 1e9)};
}

}  // namespace

void sleep_on(std::atomic<std::uint32_t>& word, std::uint32_t expected, double longest) {
  const bool ends = std::isfinite(longest);
  const timespec most = ends ? to_timespec(longest) : timespec{};
  system_call(SYS_futex, &word, FUTEX_WAIT, expected, ends ? &most : nullptr, nullptr, 0);
}

void wake_sleepers(std::atomic<std::uint32_t>& word, int most) {
  system_call(SYS_futex, &word, FUTEX_WAKE, most, nullptr, nullptr, 0);
}

void FutexLock::lock(double longest) {
  for (int k = 0; k < spins; ++k) {
    std::uint32_t unlocked = 0;
    if (state_.compare_exchange_weak(unlocked, 1, std::memory_order_acquire)) return;
  }
  while (state_.exchange(2, std::memory_order_acquire) != 0) sleep_on(state_, 2, longest);
}

void FutexLock::unlock() {
  if (state_.exchange(0, std::memory_order_release) == 2) wake_sleepers(state_, 1);
}

}  // namespace commgauge::preload
