#include "recorder/thread_lock.hpp"

#include <atomic>
#include <new>

#include "system/futex_lock.hpp"

namespace commgauge::record::threads {

namespace {

constinit std::atomic<bool> several = false;
[[gnu::tls_model("initial-exec")]] thread_local bool has_lock = false;

/// There are threads until the process ends.
preload::FutexLock& lock() {
  static auto* const only = new preload::FutexLock;
  return *only;
}

}  // namespace

void set_several(bool are) { several = are; }

void hold() {
  if (has_lock || !several.load(std::memory_order_relaxed)) return;
  // With an end in time: else the emulation takes it for a wait for another thread of the program.
  constexpr double longest = 1;  // [s]
  lock().lock(longest);
  has_lock = true;
}

void let_go() {
  if (!has_lock) return;
  has_lock = false;
  lock().unlock();
}

Held::Held() : had_{has_lock} { hold(); }
Held::~Held() {
  if (!had_) let_go();
}

void begin_again_in_child() {
  new (&lock()) preload::FutexLock;
  has_lock = false;
}

}  // namespace commgauge::record::threads
