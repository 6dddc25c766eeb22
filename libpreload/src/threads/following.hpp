#pragma once

#include <time.h>

#include <cerrno>

#include "follower.hpp"
#include "system/c_library.hpp"

/// How clocks follow calls by which threads of the program wait for each other outside of MPI.
/// Each names the call, and the object that is waited for.
namespace commgauge::preload {

/// @param attempt  () → 0, EBUSY, or another code: takes the object if that needs no waiting
/// @param wait     () → code: takes it
template <class Attempt, class Wait>
int take(const threads::Called& call, const void* object, Attempt&& attempt, Wait&& wait) {
  if (const threads::Following own{call}) {
    const int code = attempt();
    if (code == 0) threads::acquire(*own, object);
    if (code != EBUSY) return code;
    // Nobody has let go of it yet, for that needs the lock that this thread has.
    if (!threads::may_be_let_go(object)) threads::sleep_on(*own, object);
  }
  const int code = wait();
  if (const threads::Following own{call, threads::Before::sleeping}; own && code == 0)
    threads::acquire(*own, object);
  return code;
}

/// Where there is no waiting.
template <class Attempt>
int try_to_take(const threads::Called& call, const void* object, Attempt&& attempt) {
  const int code = attempt();
  if (code != 0) return code;
  if (const threads::Following own{call}) threads::acquire(*own, object);
  return code;
}

inline void let_go(threads::Own& own, const void* object, threads::Wakes wakes) {
  threads::release(own, object);
  threads::wake(own, object, wakes);
}
template <class Release>
int let_go(const threads::Called& call, const void* object, threads::Wakes wakes,
           Release&& release) {
  const threads::Following own{call};
  if (own) let_go(*own, object, wakes);
  return release();
}

/// Of a deadline on a clock that the program sees, what is left, and where that is on the real one.
struct Deadline {
  double left{};  ///< [s]
  timespec real{};
};
[[nodiscard]] Deadline deadline_of(clockid_t clock, const timespec& time);

/// What a thread waits for.
struct Awaited {
  const void* object;
  bool is_event{};     ///< an event: only what happens meanwhile counts
  const void* held{};  ///< what the thread lets go meanwhile, if anything

  void begin(threads::Own& own) const;
  void end(threads::Own& own) const;
};

/// Waits for an event. @param wait  () → code
template <class Wait>
int await(const threads::Called& call, const Awaited& event, Wait&& wait) {
  if (const threads::Following own{call}) {
    event.begin(*own);
    threads::sleep_on(*own, event.object, event.held);
  }
  const int code = wait();
  if (const threads::Following own{call, threads::Before::sleeping}) event.end(*own);
  return code;
}

/// Waits in real time, as long as in virtual time at most. @param wait  (real deadline) → code
template <class Wait>
int wait_until(const threads::Called& call, const Awaited& what, clockid_t clock,
               const timespec* time, Wait&& wait) {
  const Deadline deadline = deadline_of(clock, *time);
  double end = 0;
  if (const threads::Following own{call}) {
    end = own->clock() + deadline.left;
    what.begin(*own);
    threads::stop_computing(*own);
  }
  const int code = wait(&deadline.real);
  if (const threads::Following own{call, threads::Before::sleeping}) {
    if (code == ETIMEDOUT) {
      threads::give_up_at(*own, end);
      if (what.held != nullptr) threads::acquire(*own, what.held);
    } else if (code == 0) {
      what.end(*own);
    }
  }
  return code;
}

}  // namespace commgauge::preload

/// `real`, the function that the one of this name takes the place of, and `called`, the call of it.
#define FOLLOWED_CALL(NAME)                                             \
  static constinit ::commgauge::preload::Next real(NAME, #NAME);        \
  [[maybe_unused]] const ::commgauge::preload::threads::Called called { \
#NAME, __builtin_return_address(0)                                  \
  }
