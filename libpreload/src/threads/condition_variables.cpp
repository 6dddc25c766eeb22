// Condition variables of the C library: see synchronising.cpp. Where a deadline is without a clock
// it is on that which the variable was made with.

#include <pthread.h>
#include <time.h>

#include <unordered_map>

#include "system/c_library.hpp"
#include "threads/following.hpp"

using namespace commgauge::preload;
using threads::Inside;
using threads::Lock;
using threads::Wakes;

namespace {

/// Of those that don't have CLOCK_REALTIME. Guarded by the followers' lock.
std::unordered_map<const void*, clockid_t>& clocks() {
  static auto* const all = new std::unordered_map<const void*, clockid_t>;
  return *all;
}

clockid_t clock_of(const pthread_cond_t* condition) {
  const Inside here{Lock::always};
  const auto found = clocks().find(condition);
  return found != clocks().end() ? found->second : CLOCK_REALTIME;
}

void forget(const pthread_cond_t* condition) {
  clocks().erase(condition);
  threads::forget(condition);
}

}  // namespace

extern "C" {

int pthread_cond_init(pthread_cond_t* condition, const pthread_condattr_t* attributes) noexcept {
  FOLLOWED_CALL(pthread_cond_init);
  const Inside here{Lock::always};
  forget(condition);
  clockid_t clock = CLOCK_REALTIME;
  if (attributes != nullptr) pthread_condattr_getclock(attributes, &clock);
  if (clock != CLOCK_REALTIME) clocks()[condition] = clock;
  return real(condition, attributes);
}
int pthread_cond_destroy(pthread_cond_t* condition) noexcept {
  FOLLOWED_CALL(pthread_cond_destroy);
  {
    const Inside here{Lock::always};
    forget(condition);
  }
  return real(condition);
}
int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  FOLLOWED_CALL(pthread_cond_wait);
  return await(called, {condition, true, mutex}, [&] { return real(condition, mutex); });
}
int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                           const timespec* time) {
  FOLLOWED_CALL(pthread_cond_timedwait);
  return wait_until(called, {condition, true, mutex}, clock_of(condition), time,
                    [&](const timespec* end) { return real(condition, mutex, end); });
}
int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const timespec* time) {
  FOLLOWED_CALL(pthread_cond_clockwait);
  return wait_until(called, {condition, true, mutex}, clock, time,
                    [&](const timespec* end) { return real(condition, mutex, clock, end); });
}
int pthread_cond_signal(pthread_cond_t* condition) noexcept {
  FOLLOWED_CALL(pthread_cond_signal);
  return let_go(called, condition, Wakes::first, [&] { return real(condition); });
}
int pthread_cond_broadcast(pthread_cond_t* condition) noexcept {
  FOLLOWED_CALL(pthread_cond_broadcast);
  return let_go(called, condition, Wakes::all, [&] { return real(condition); });
}

}  // extern "C"
