// How threads of the program wait for each other outside of MPI. The C library does it; whoever
// follows threads lets clocks follow: who goes on because of another does so no sooner than that
// one let it, and who sleeps meanwhile keeps nobody from deciding anything. All of this only where
// the program has several threads.

#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#include <cerrno>
#include <memory>
#include <unordered_map>

#include "system/c_library.hpp"
#include "threads/following.hpp"

using namespace commgauge::preload;
using threads::Before;
using threads::Following;
using threads::Inside;
using threads::Lock;
using threads::Wakes;

namespace {

struct Barrier {
  unsigned size{};
  unsigned here{};
};
std::unordered_map<const void*, Barrier>& barriers() {
  static auto* const all = new std::unordered_map<const void*, Barrier>;
  return *all;
}

/// What a thread is joined by.
const void* as_object(pthread_t thread) { return reinterpret_cast<const void*>(thread); }

/// Takes at once or not, by a call that waits until a time: unlike those that try it says EDEADLK
/// if the caller itself is what is in the way.
template <class Take>
int at_once(Take&& take) {
  constexpr timespec past{};
  const int code = take(&past);
  return code == ETIMEDOUT ? EBUSY : code;
}

/// What is known of an object that is made or destroyed is of another.
void forget(const threads::Called& call, const void* object) {
  if (const Following own{call}) threads::forget(object);
}

/// A semaphore's functions say EAGAIN by errno.
int as_code(int result) { return result == 0 ? 0 : errno == EAGAIN ? EBUSY : errno; }
int as_result(int code) {
  if (code == 0) return 0;
  errno = code == EBUSY ? EAGAIN : code;
  return -1;
}

}  // namespace

extern "C" {

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*work)(void*),
                   void* argument) noexcept {
  using Create = int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static constinit Next<Create> real("pthread_create");
  const threads::Called called{"pthread_create", __builtin_return_address(0)};
  if (!threads::is_of_program(called.from)) return real(thread, attributes, work, argument);
  threads::are_going_to_be_several();
  const Inside here{Lock::always};
  const Following own{called};
  auto start = std::make_unique<threads::Start>(work, argument);
  const int code = real(thread, attributes, threads::Start::run, start.get());
  if (code == 0) {
    start.release()->is_called(*thread);
  } else {
    start->give_up();
  }
  return code;
}

int pthread_join(pthread_t thread, void** result) {
  FOLLOWED_CALL(pthread_join);
  const void* const joined = as_object(thread);
  const auto join = [&] { return real(thread, result); };
  if (!threads::runs(thread)) return try_to_take(called, joined, join);
  static constinit Next timed(pthread_timedjoin_np, "pthread_timedjoin_np");
  const auto until = [&](const timespec* end) { return timed(thread, result, end); };
  return take(
      called, joined, [&] { return threads::runs(thread) ? at_once(until) : join(); }, join);
}

int pthread_tryjoin_np(pthread_t thread, void** result) noexcept {
  FOLLOWED_CALL(pthread_tryjoin_np);
  return try_to_take(called, as_object(thread), [&] { return real(thread, result); });
}
int pthread_timedjoin_np(pthread_t thread, void** result, const timespec* time) {
  FOLLOWED_CALL(pthread_timedjoin_np);
  return wait_until(called, {as_object(thread)}, CLOCK_REALTIME, time,
                    [&](const timespec* end) { return real(thread, result, end); });
}
int pthread_clockjoin_np(pthread_t thread, void** result, clockid_t clock, const timespec* time) {
  FOLLOWED_CALL(pthread_clockjoin_np);
  return wait_until(called, {as_object(thread)}, clock, time,
                    [&](const timespec* end) { return real(thread, result, clock, end); });
}

int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  FOLLOWED_CALL(pthread_mutex_lock);
  static constinit Next timed(pthread_mutex_timedlock, "pthread_mutex_timedlock");
  const auto until = [&](const timespec* end) { return timed(mutex, end); };
  return take(
      called, mutex, [&] { return at_once(until); }, [&] { return real(mutex); });
}
int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept {
  FOLLOWED_CALL(pthread_mutex_trylock);
  return try_to_take(called, mutex, [&] { return real(mutex); });
}
int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* time) noexcept {
  FOLLOWED_CALL(pthread_mutex_timedlock);
  return wait_until(called, {mutex}, CLOCK_REALTIME, time,
                    [&](const timespec* end) { return real(mutex, end); });
}
int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                            const timespec* time) noexcept {
  FOLLOWED_CALL(pthread_mutex_clocklock);
  return wait_until(called, {mutex}, clock, time,
                    [&](const timespec* end) { return real(mutex, clock, end); });
}
int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  FOLLOWED_CALL(pthread_mutex_unlock);
  return let_go(called, mutex, Wakes::first, [&] { return real(mutex); });
}
int pthread_mutex_init(pthread_mutex_t* mutex, const pthread_mutexattr_t* attributes) noexcept {
  FOLLOWED_CALL(pthread_mutex_init);
  forget(called, mutex);
  return real(mutex, attributes);
}
int pthread_mutex_destroy(pthread_mutex_t* mutex) noexcept {
  FOLLOWED_CALL(pthread_mutex_destroy);
  forget(called, mutex);
  return real(mutex);
}

int pthread_rwlock_rdlock(pthread_rwlock_t* lock) noexcept {
  FOLLOWED_CALL(pthread_rwlock_rdlock);
  static constinit Next timed(pthread_rwlock_timedrdlock, "pthread_rwlock_timedrdlock");
  const auto until = [&](const timespec* end) { return timed(lock, end); };
  return take(
      called, lock, [&] { return at_once(until); }, [&] { return real(lock); });
}
int pthread_rwlock_wrlock(pthread_rwlock_t* lock) noexcept {
  FOLLOWED_CALL(pthread_rwlock_wrlock);
  static constinit Next timed(pthread_rwlock_timedwrlock, "pthread_rwlock_timedwrlock");
  const auto until = [&](const timespec* end) { return timed(lock, end); };
  return take(
      called, lock, [&] { return at_once(until); }, [&] { return real(lock); });
}
int pthread_rwlock_timedrdlock(pthread_rwlock_t* lock, const timespec* time) noexcept {
  FOLLOWED_CALL(pthread_rwlock_timedrdlock);
  return wait_until(called, {lock}, CLOCK_REALTIME, time,
                    [&](const timespec* end) { return real(lock, end); });
}
int pthread_rwlock_timedwrlock(pthread_rwlock_t* lock, const timespec* time) noexcept {
  FOLLOWED_CALL(pthread_rwlock_timedwrlock);
  return wait_until(called, {lock}, CLOCK_REALTIME, time,
                    [&](const timespec* end) { return real(lock, end); });
}
int pthread_rwlock_clockrdlock(pthread_rwlock_t* lock, clockid_t clock,
                               const timespec* time) noexcept {
  FOLLOWED_CALL(pthread_rwlock_clockrdlock);
  return wait_until(called, {lock}, clock, time,
                    [&](const timespec* end) { return real(lock, clock, end); });
}
int pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t clock,
                               const timespec* time) noexcept {
  FOLLOWED_CALL(pthread_rwlock_clockwrlock);
  return wait_until(called, {lock}, clock, time,
                    [&](const timespec* end) { return real(lock, clock, end); });
}
int pthread_rwlock_tryrdlock(pthread_rwlock_t* lock) noexcept {
  FOLLOWED_CALL(pthread_rwlock_tryrdlock);
  return try_to_take(called, lock, [&] { return real(lock); });
}
int pthread_rwlock_trywrlock(pthread_rwlock_t* lock) noexcept {
  FOLLOWED_CALL(pthread_rwlock_trywrlock);
  return try_to_take(called, lock, [&] { return real(lock); });
}
int pthread_rwlock_unlock(pthread_rwlock_t* lock) noexcept {
  FOLLOWED_CALL(pthread_rwlock_unlock);
  return let_go(called, lock, Wakes::all, [&] { return real(lock); });
}
int pthread_rwlock_init(pthread_rwlock_t* lock, const pthread_rwlockattr_t* attributes) noexcept {
  FOLLOWED_CALL(pthread_rwlock_init);
  forget(called, lock);
  return real(lock, attributes);
}
int pthread_rwlock_destroy(pthread_rwlock_t* lock) noexcept {
  FOLLOWED_CALL(pthread_rwlock_destroy);
  forget(called, lock);
  return real(lock);
}

int pthread_barrier_init(pthread_barrier_t* barrier, const pthread_barrierattr_t* attributes,
                         unsigned count) noexcept {
  FOLLOWED_CALL(pthread_barrier_init);
  const int code = real(barrier, attributes, count);
  const Inside here{Lock::always};
  if (code == 0) barriers()[barrier] = {count, 0};
  return code;
}
int pthread_barrier_destroy(pthread_barrier_t* barrier) noexcept {
  FOLLOWED_CALL(pthread_barrier_destroy);
  {
    const Inside here{Lock::always};
    barriers().erase(barrier);
    threads::forget(barrier);
  }
  return real(barrier);
}
int pthread_barrier_wait(pthread_barrier_t* barrier) noexcept {
  FOLLOWED_CALL(pthread_barrier_wait);
  bool is_last = false;
  {
    const Inside here{Lock::always};
    Barrier& state = barriers()[barrier];
    is_last = state.size > 0 && ++state.here % state.size == 0;
    if (const Following own{called}) {
      threads::release(*own, barrier);
      if (is_last) {
        threads::acquire(*own, barrier);
        threads::wake(*own, barrier, Wakes::all);
      } else {
        threads::sleep_on(*own, barrier);
      }
    }
  }
  const int code = real(barrier);
  if (is_last) return code;
  // Others may have come to it once more by now: it goes on when it was woken.
  const Following own{called, Before::sleeping};
  return code;
}

int sem_init(sem_t* semaphore, int is_shared, unsigned value) noexcept {
  FOLLOWED_CALL(sem_init);
  forget(called, semaphore);
  return real(semaphore, is_shared, value);
}
int sem_destroy(sem_t* semaphore) noexcept {
  FOLLOWED_CALL(sem_destroy);
  forget(called, semaphore);
  return real(semaphore);
}
int sem_wait(sem_t* semaphore) {
  FOLLOWED_CALL(sem_wait);
  static constinit Next attempt(sem_trywait, "sem_trywait");
  return as_result(take(
      called, semaphore, [&] { return as_code(attempt(semaphore)); },
      [&] { return as_code(real(semaphore)); }));
}
int sem_trywait(sem_t* semaphore) noexcept {
  FOLLOWED_CALL(sem_trywait);
  return as_result(try_to_take(called, semaphore, [&] { return as_code(real(semaphore)); }));
}
int sem_timedwait(sem_t* semaphore, const timespec* time) {
  FOLLOWED_CALL(sem_timedwait);
  return as_result(wait_until(called, {semaphore}, CLOCK_REALTIME, time,
                              [&](const timespec* end) { return as_code(real(semaphore, end)); }));
}
int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* time) {
  FOLLOWED_CALL(sem_clockwait);
  return as_result(wait_until(called, {semaphore}, clock, time, [&](const timespec* end) {
    return as_code(real(semaphore, clock, end));
  }));
}
int sem_post(sem_t* semaphore) noexcept {
  FOLLOWED_CALL(sem_post);
  return let_go(called, semaphore, Wakes::first, [&] { return real(semaphore); });
}

}  // extern "C"
