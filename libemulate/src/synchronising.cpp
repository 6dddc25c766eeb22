// How threads of the program wait for each other outside of MPI. The C library does it; the
// emulation lets clocks follow: who goes on because of another does so no sooner than that one let
// it, and who sleeps meanwhile keeps nobody from deciding anything. All of this only where the
// program has several threads.

#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <unordered_map>

#include "c_library.hpp"
#include "real_time.hpp"
#include "threads.hpp"

using namespace commgauge::emulate;
using commgauge::preload::next;
using threads::Wakes;

namespace {

/// The calling thread, where clocks have to follow; else nullptr.
/// @param from  where it was called
Emulator* caller(const void* from) {
  if (!threads::are_several()) return nullptr;
  Emulator* const own = threads::outside_of_mpi();
  return own == nullptr || threads::is_of_mpi(from) ? nullptr : own;
}

/// @param attempt  () → 0, EBUSY, or another code: takes the object if that needs no waiting
/// @param wait     () → code: takes it
template <class Attempt, class Wait>
int take(const void* from, const void* object, Attempt&& attempt, Wait&& wait) {
  Emulator* const own = caller(from);
  if (own == nullptr) return wait();
  own->enter(nullptr);
  int code = attempt();
  if (code == EBUSY) {
    // Nobody has let go of it yet, for that needs the lock that this thread has.
    if (!threads::may_be_let_go(object)) threads::sleep_on(*own, object);
    own->leave();
    code = wait();
    own->forget_computing();
    own->enter(nullptr);
  }
  if (code == 0) threads::acquire(*own, object);
  own->leave();
  return code;
}

/// Where there is no waiting, or an end of it in real time.
template <class Attempt>
int try_to_take(const void* from, const void* object, Attempt&& attempt) {
  const int code = attempt();
  Emulator* const own = caller(from);
  if (own == nullptr) return code;
  own->enter(nullptr);
  if (code == 0) threads::acquire(*own, object);
  own->leave();
  return code;
}

template <class Release>
int let_go(const void* from, const void* object, Wakes wakes, Release&& release) {
  Emulator* const own = caller(from);
  if (own == nullptr) return release();
  own->enter(nullptr);
  threads::release(*own, object);
  threads::wake(*own, object, wakes);
  const int code = release();
  own->leave();
  return code;
}

/// Of a deadline on a clock that the program sees, what is left, and where that is on the real one.
struct Deadline {
  double left{};  ///< [s]
  timespec real{};
};

Deadline deadline_of(clockid_t clock, const timespec* time) {
  static auto* const real = next<int(clockid_t, timespec*)>("clock_gettime");
  timespec seen{};
  timespec now{};
  clock_gettime(clock, &seen);
  real(clock, &now);
  const double left = std::max(0.0, static_cast<double>(time->tv_sec - seen.tv_sec) +
                                        1e-9 * static_cast<double>(time->tv_nsec - seen.tv_nsec));
  constexpr long second = 1'000'000'000;
  const auto whole = static_cast<time_t>(left);
  const long part = now.tv_nsec + static_cast<long>((left - static_cast<double>(whole)) * 1e9);
  return {left, {now.tv_sec + whole + part / second, part % second}};
}

/// Waits in real time, as long as in virtual time at most. @param wait  (real deadline) → code
template <class Wait>
int wait_until(const void* from, const void* object, const void* held, clockid_t clock,
               const timespec* time, Wait&& wait) {
  Emulator* const own = caller(from);
  if (own == nullptr) return wait(time);
  const Deadline deadline = deadline_of(clock, time);
  own->enter(nullptr);
  const double end = own->clock() + deadline.left;
  if (held != nullptr) {
    threads::release(*own, held);
    threads::wake(*own, held, Wakes::first);
  }
  own->leave();
  const int code = wait(&deadline.real);
  own->forget_computing();
  own->enter(nullptr);
  if (code == ETIMEDOUT) {
    own->go_on_from(end);
  } else if (code == 0) {
    threads::acquire(*own, object);
  }
  if (held != nullptr) threads::acquire(*own, held);
  own->leave();
  return code;
}

struct Barrier {
  unsigned size{};
  unsigned here{};
};
std::unordered_map<const void*, Barrier>& barriers() {
  static std::unordered_map<const void*, Barrier> all;
  return all;
}

/// A semaphore's functions say EAGAIN by errno.
int as_code(int result) { return result == 0 ? 0 : errno == EAGAIN ? EBUSY : errno; }
int as_result(int code) {
  if (code == 0) return 0;
  errno = code == EBUSY ? EAGAIN : code;
  return -1;
}

}  // namespace

#define FROM __builtin_return_address(0)
#define REAL(NAME) static auto* const real = next<decltype(NAME)>(#NAME)

extern "C" {

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*work)(void*),
                   void* argument) noexcept {
  using Create = int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static auto* const real = next<Create>("pthread_create");
  Emulator* const own = threads::are_guarded() ? threads::outside_of_mpi() : nullptr;
  if (own == nullptr || threads::is_of_mpi(FROM)) return real(thread, attributes, work, argument);
  own->enter(nullptr);
  auto start = std::make_unique<threads::Start>(*own, work, argument);
  const int code = real(thread, attributes, threads::Start::run, start.get());
  if (code == 0) {
    (void)start.release();
    // An ended thread may have had the same name.
    threads::forget(reinterpret_cast<const void*>(*thread));
  } else {
    start->give_up();
  }
  own->leave();
  return code;
}

int pthread_join(pthread_t thread, void** result) {
  REAL(pthread_join);
  const auto* const joined = reinterpret_cast<const void*>(thread);
  return take(
      FROM, joined, [&] { return threads::has_ended(joined) ? real(thread, result) : EBUSY; },
      [&] { return real(thread, result); });
}

int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  REAL(pthread_mutex_lock);
  static auto* const attempt = next<decltype(pthread_mutex_trylock)>("pthread_mutex_trylock");
  return take(
      FROM, mutex, [&] { return attempt(mutex); }, [&] { return real(mutex); });
}
int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept {
  REAL(pthread_mutex_trylock);
  return try_to_take(FROM, mutex, [&] { return real(mutex); });
}
int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* time) noexcept {
  REAL(pthread_mutex_timedlock);
  return wait_until(FROM, mutex, nullptr, CLOCK_REALTIME, time,
                    [&](const timespec* end) { return real(mutex, end); });
}
int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  REAL(pthread_mutex_unlock);
  return let_go(FROM, mutex, Wakes::first, [&] { return real(mutex); });
}
int pthread_mutex_destroy(pthread_mutex_t* mutex) noexcept {
  REAL(pthread_mutex_destroy);
  if (Emulator* const own = caller(FROM)) {
    own->enter(nullptr);
    threads::forget(mutex);
    own->leave();
  }
  return real(mutex);
}

int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  REAL(pthread_cond_wait);
  Emulator* const own = caller(FROM);
  if (own == nullptr) return real(condition, mutex);
  own->enter(nullptr);
  threads::release(*own, mutex);
  threads::wake(*own, mutex, Wakes::first);
  threads::sleep_on(*own, condition, mutex);
  own->leave();
  const int code = real(condition, mutex);
  own->forget_computing();
  own->enter(nullptr);
  threads::acquire(*own, condition);
  threads::acquire(*own, mutex);
  own->leave();
  return code;
}
int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                           const timespec* time) {
  REAL(pthread_cond_timedwait);
  return wait_until(FROM, condition, mutex, CLOCK_REALTIME, time,
                    [&](const timespec* end) { return real(condition, mutex, end); });
}
int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const timespec* time) {
  REAL(pthread_cond_clockwait);
  return wait_until(FROM, condition, mutex, clock, time,
                    [&](const timespec* end) { return real(condition, mutex, clock, end); });
}
int pthread_cond_signal(pthread_cond_t* condition) noexcept {
  REAL(pthread_cond_signal);
  return let_go(FROM, condition, Wakes::first, [&] { return real(condition); });
}
int pthread_cond_broadcast(pthread_cond_t* condition) noexcept {
  REAL(pthread_cond_broadcast);
  return let_go(FROM, condition, Wakes::all, [&] { return real(condition); });
}

int pthread_rwlock_rdlock(pthread_rwlock_t* lock) noexcept {
  REAL(pthread_rwlock_rdlock);
  static auto* const attempt = next<decltype(pthread_rwlock_tryrdlock)>("pthread_rwlock_tryrdlock");
  return take(
      FROM, lock, [&] { return attempt(lock); }, [&] { return real(lock); });
}
int pthread_rwlock_wrlock(pthread_rwlock_t* lock) noexcept {
  REAL(pthread_rwlock_wrlock);
  static auto* const attempt = next<decltype(pthread_rwlock_trywrlock)>("pthread_rwlock_trywrlock");
  return take(
      FROM, lock, [&] { return attempt(lock); }, [&] { return real(lock); });
}
int pthread_rwlock_tryrdlock(pthread_rwlock_t* lock) noexcept {
  REAL(pthread_rwlock_tryrdlock);
  return try_to_take(FROM, lock, [&] { return real(lock); });
}
int pthread_rwlock_trywrlock(pthread_rwlock_t* lock) noexcept {
  REAL(pthread_rwlock_trywrlock);
  return try_to_take(FROM, lock, [&] { return real(lock); });
}
int pthread_rwlock_unlock(pthread_rwlock_t* lock) noexcept {
  REAL(pthread_rwlock_unlock);
  return let_go(FROM, lock, Wakes::all, [&] { return real(lock); });
}

int pthread_barrier_init(pthread_barrier_t* barrier, const pthread_barrierattr_t* attributes,
                         unsigned count) noexcept {
  REAL(pthread_barrier_init);
  const int code = real(barrier, attributes, count);
  threads::come_in();
  if (code == 0) barriers()[barrier] = {count, 0};
  threads::go_out();
  return code;
}
int pthread_barrier_destroy(pthread_barrier_t* barrier) noexcept {
  REAL(pthread_barrier_destroy);
  threads::come_in();
  barriers().erase(barrier);
  threads::go_out();
  return real(barrier);
}
int pthread_barrier_wait(pthread_barrier_t* barrier) noexcept {
  REAL(pthread_barrier_wait);
  Emulator* const own = caller(FROM);
  if (own == nullptr) return real(barrier);
  own->enter(nullptr);
  threads::release(*own, barrier);
  Barrier& state = barriers()[barrier];
  const bool is_last = state.size > 0 && ++state.here % state.size == 0;
  if (is_last) {
    threads::acquire(*own, barrier);
    threads::wake(*own, barrier, Wakes::all);
  } else {
    threads::sleep_on(*own, barrier);
  }
  own->leave();
  const int code = real(barrier);
  if (is_last) return code;
  own->forget_computing();
  own->enter(nullptr);
  threads::acquire(*own, barrier);
  own->leave();
  return code;
}

int sem_wait(sem_t* semaphore) {
  REAL(sem_wait);
  static auto* const attempt = next<decltype(sem_trywait)>("sem_trywait");
  return as_result(take(
      FROM, semaphore, [&] { return as_code(attempt(semaphore)); },
      [&] { return as_code(real(semaphore)); }));
}
int sem_trywait(sem_t* semaphore) noexcept {
  REAL(sem_trywait);
  return as_result(try_to_take(FROM, semaphore, [&] { return as_code(real(semaphore)); }));
}
int sem_timedwait(sem_t* semaphore, const timespec* time) {
  REAL(sem_timedwait);
  return as_result(wait_until(FROM, semaphore, nullptr, CLOCK_REALTIME, time,
                              [&](const timespec* end) { return as_code(real(semaphore, end)); }));
}
int sem_post(sem_t* semaphore) noexcept {
  REAL(sem_post);
  return let_go(FROM, semaphore, Wakes::first, [&] { return real(semaphore); });
}

}  // extern "C"
