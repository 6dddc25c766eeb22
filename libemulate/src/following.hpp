#pragma once

#include <time.h>

#include <cerrno>

#include "threads.hpp"

/// How clocks follow calls by which threads of the program wait for each other outside of MPI.
/// Each names where it was called, and the object that is waited for.
namespace commgauge::emulate {

/// @param attempt  () → 0, EBUSY, or another code: takes the object if that needs no waiting
/// @param wait     () → code: takes it
template <class Attempt, class Wait>
int take(const void* from, const void* object, Attempt&& attempt, Wait&& wait) {
  using namespace threads;
  if (const Following own{from}) {
    const int code = attempt();
    if (code == 0) acquire(*own, object);
    if (code != EBUSY) return code;
    // Nobody has let go of it yet, for that needs the lock that this thread has.
    if (!may_be_let_go(object)) sleep_on(*own, object);
  }
  const int code = wait();
  if (const Following own{from, Before::sleeping}; own && code == 0) acquire(*own, object);
  return code;
}

/// Where there is no waiting.
template <class Attempt>
int try_to_take(const void* from, const void* object, Attempt&& attempt) {
  const int code = attempt();
  if (code != 0) return code;
  if (const threads::Following own{from}) threads::acquire(*own, object);
  return code;
}

template <class Release>
int let_go(const void* from, const void* object, threads::Wakes wakes, Release&& release) {
  const threads::Following own{from};
  if (own) {
    threads::release(*own, object);
    threads::wake(*own, object, wakes);
  }
  return release();
}

/// Of a deadline on a clock that the program sees, what is left, and where that is on the real one.
struct Deadline {
  double left{};  ///< [s]
  timespec real{};
};
[[nodiscard]] Deadline deadline_of(clockid_t clock, const timespec& time);

/// Waits in real time, as long as in virtual time at most. @param wait  (real deadline) → code
/// @param held  that the caller lets go meanwhile, or nullptr
template <class Wait>
int wait_until(const void* from, const void* object, const void* held, clockid_t clock,
               const timespec* time, Wait&& wait) {
  using namespace threads;
  const Deadline deadline = deadline_of(clock, *time);
  double end = 0;
  if (const Following own{from}) {
    end = own->clock() + deadline.left;
    if (held != nullptr) {
      release(*own, held);
      wake(*own, held, Wakes::first);
    }
  }
  const int code = wait(&deadline.real);
  if (const Following own{from, Before::sleeping}) {
    if (code == ETIMEDOUT) own->go_on_from(end);
    if (code == 0) acquire(*own, object);
    if (held != nullptr) acquire(*own, held);
  }
  return code;
}

}  // namespace commgauge::emulate
