// OpenMP of gcc's library: a team begins at the clock of the thread that makes it, which goes on
// when the last of the team has ended; barriers and critical sections carry clocks. Where the
// library itself makes threads wait for each other they have met here before.

#include <atomic>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <utility>

#include "c_library.hpp"
#include "shared.hpp"
#include "threads.hpp"

using namespace commgauge::emulate;
using commgauge::preload::Next;
using threads::Before;
using threads::Following;
using threads::Inside;
using threads::Lock;
using threads::Wakes;

namespace {

using Work = void(void*);

/// Threads in a parallel region.
struct Team {
  Work* work{};
  void* data{};
  double begun{};  ///< [s]
  int size{};
  int here{};  ///< at the barrier
  int left{};  ///< who have done the work
  std::atomic<std::uint32_t> begun_by{};
  std::atomic<std::uint32_t> barriers{};
  std::atomic<std::uint32_t> is_over{};
};

[[gnu::tls_model("initial-exec")]] thread_local Team* team = nullptr;

/// What threads of no team sleep on.
constexpr char idle = 0;

int number_in_team() {
  static constinit Next<int()> number("omp_get_thread_num");
  return number();
}
int size_of_team() {
  static constinit Next<int()> size("omp_get_num_threads");
  return size();
}

/// Sleeps until the word is another, with the thread's clock standing still.
void sleep_until_changed(std::atomic<std::uint32_t>& word, std::uint32_t value) {
  while (word.load(std::memory_order_acquire) == value) sleep_on(word, value);
}
void change(std::atomic<std::uint32_t>& word) {
  word.fetch_add(1, std::memory_order_release);
  wake_sleepers(word, std::numeric_limits<int>::max());
}

/// Returns when all of the team are here.
void meet() {
  Team& here = *team;
  if (here.size < 2) return;
  const std::uint32_t before = here.barriers;
  {
    const Inside counting{Lock::always};
    const Following own;
    const bool is_last = ++here.here == here.size;
    if (own) {
      threads::release(*own, &here.barriers);
      if (!is_last) threads::sleep_on(*own, &here.barriers);
    }
    if (is_last) {
      here.here = 0;
      if (own) {
        threads::acquire(*own, &here.barriers);
        threads::wake(*own, &here.barriers, Wakes::all);
      }
      change(here.barriers);
      return;
    }
  }
  sleep_until_changed(here.barriers, before);
  // Others may have come to the next barrier by now: it goes on when it was woken.
  const Following own{Before::sleeping};
}

/// The thread that has made the team waits until all have begun, so that its clock stays behind
/// theirs until then, and goes on when they have ended.
void work_as_first(Team& here) {
  const auto others = static_cast<std::uint32_t>(here.size - 1);
  for (std::uint32_t begun = here.begun_by; begun < others; begun = here.begun_by) {
    sleep_on(here.begun_by, begun);
  }
  { const Following computing{Before::sleeping}; }
  here.work(here.data);
  if (here.size == 1) return;
  {
    const Inside counting{Lock::always};
    const Following own;
    if (own && here.left < here.size - 1) threads::sleep_on(*own, &here.is_over);
  }
  sleep_until_changed(here.is_over, 0);
  if (const Following own{Before::sleeping}) {
    threads::acquire(*own, &here.is_over);
    threads::forget(&here.is_over);
    threads::forget(&here.barriers);
  }
}

void work_as_further(Team& here) {
  if (const Following own{Before::sleeping}) own->go_on_from(here.begun);
  change(here.begun_by);
  here.work(here.data);
  const Inside counting{Lock::always};
  const Following own;
  if (own) threads::release(*own, &here.is_over);
  // The first's team is gone once all have left.
  if (++here.left == here.size - 1) {
    if (own) threads::wake(*own, &here.is_over, Wakes::all);
    change(here.is_over);
  }
  if (own) threads::sleep_on(*own, &idle);
}

void work_in_team(void* of_team) {
  Team& here = *static_cast<Team*>(of_team);
  Team* const around = std::exchange(team, &here);
  {
    const Inside knowing{Lock::always};
    here.size = size_of_team();
  }
  if (number_in_team() == 0) {
    work_as_first(here);
  } else {
    work_as_further(here);
  }
  team = around;
}

/// @param start  (work, data): the library's own
template <class Start>
auto parallel(Work* work, void* data, Start&& start) {
  threads::are_going_to_be_several();
  Team made{.work = work, .data = data};
  {
    const Following own;
    if (!own) return start(work, data);
    made.begun = own->clock();
  }
  return start(work_in_team, &made);
}

/// Whether a lock of the library's is taken, by its address; guarded by the emulation's lock.
std::unordered_map<const void*, bool>& taken() {
  static auto* const all = new std::unordered_map<const void*, bool>;
  return *all;
}

template <class Wait>
void take(const void* lock, Wait&& wait) {
  bool has_to_wait = false;
  if (const Following own; own) {
    has_to_wait = std::exchange(taken()[lock], true);
    if (has_to_wait) threads::sleep_on(*own, lock);
  }
  wait();
  if (const Following own{has_to_wait ? Before::sleeping : Before::computing}) {
    taken()[lock] = true;
    threads::acquire(*own, lock);
  }
}

template <class Release>
void let_go(const void* lock, Release&& release) {
  const Following own;
  if (own) {
    taken()[lock] = false;
    threads::release(*own, lock);
    threads::wake(*own, lock, Wakes::first);
  }
  release();
}

constexpr char unnamed = 0;

}  // namespace

#define REAL(NAME) static constinit Next real(NAME, #NAME)

extern "C" {

void GOMP_parallel(Work* work, void* data, unsigned threads, unsigned flags) {
  REAL(GOMP_parallel);
  parallel(work, data, [&](Work* w, void* d) { real(w, d, threads, flags); });
}
void GOMP_parallel_sections(Work* work, void* data, unsigned threads, unsigned count,
                            unsigned flags) {
  REAL(GOMP_parallel_sections);
  parallel(work, data, [&](Work* w, void* d) { real(w, d, threads, count, flags); });
}

#define PARALLEL_LOOP(NAME)                                                                        \
  void NAME(Work* work, void* data, unsigned threads, long start, long end, long step, long chunk, \
            unsigned flags) {                                                                      \
    REAL(NAME);                                                                                    \
    parallel(work, data,                                                                           \
             [&](Work* w, void* d) { real(w, d, threads, start, end, step, chunk, flags); });      \
  }
#define PARALLEL_LOOP_AT_RUN_TIME(NAME)                                                            \
  void NAME(Work* work, void* data, unsigned threads, long start, long end, long step,             \
            unsigned flags) {                                                                      \
    REAL(NAME);                                                                                    \
    parallel(work, data, [&](Work* w, void* d) { real(w, d, threads, start, end, step, flags); }); \
  }
PARALLEL_LOOP(GOMP_parallel_loop_static)
PARALLEL_LOOP(GOMP_parallel_loop_dynamic)
PARALLEL_LOOP(GOMP_parallel_loop_guided)
PARALLEL_LOOP(GOMP_parallel_loop_nonmonotonic_dynamic)
PARALLEL_LOOP(GOMP_parallel_loop_nonmonotonic_guided)
PARALLEL_LOOP_AT_RUN_TIME(GOMP_parallel_loop_runtime)
PARALLEL_LOOP_AT_RUN_TIME(GOMP_parallel_loop_nonmonotonic_runtime)
PARALLEL_LOOP_AT_RUN_TIME(GOMP_parallel_loop_maybe_nonmonotonic_runtime)

#define BARRIER(NAME)            \
  void NAME(void) {              \
    REAL(NAME);                  \
    if (team != nullptr) meet(); \
    real();                      \
  }
BARRIER(GOMP_barrier)
BARRIER(GOMP_loop_end)
BARRIER(GOMP_sections_end)

void GOMP_critical_start(void) {
  REAL(GOMP_critical_start);
  take(&unnamed, [&] { real(); });
}
void GOMP_critical_end(void) {
  REAL(GOMP_critical_end);
  let_go(&unnamed, [&] { real(); });
}
void GOMP_critical_name_start(void** name) {
  REAL(GOMP_critical_name_start);
  take(name, [&] { real(name); });
}
void GOMP_critical_name_end(void** name) {
  REAL(GOMP_critical_name_end);
  let_go(name, [&] { real(name); });
}
void omp_set_lock(void* lock) {
  REAL(omp_set_lock);
  take(lock, [&] { real(lock); });
}
void omp_unset_lock(void* lock) {
  REAL(omp_unset_lock);
  let_go(lock, [&] { real(lock); });
}

}  // extern "C"
