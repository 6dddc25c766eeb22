// OpenMP of gcc's library: a team begins at the clock of the thread that makes it, which goes on
// when the last of the team has ended; barriers and critical sections carry clocks. Where the
// library itself makes threads wait for each other they have met here before.

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <utility>

#include "c_library.hpp"
#include "futex_lock.hpp"
#include "openmp_team.hpp"

using namespace commgauge::preload;
using namespace commgauge::preload::openmp;
using threads::Before;
using threads::Following;
using threads::Inside;
using threads::Lock;
using threads::Wakes;

namespace {

int number_in_team() {
  static constinit Next<int()> number("omp_get_thread_num");
  return number();
}

/// What threads of no team sleep on.
constexpr char idle = 0;

// As which calls a trace has what they do.
constexpr threads::Called in_region{"GOMP_parallel"};
constexpr threads::Called at_barrier{"GOMP_barrier"};
constexpr threads::Called critical{"GOMP_critical"};
constexpr threads::Called in_order{"GOMP_ordered"};
constexpr threads::Called of_lock{"omp_lock"};

int most_threads() {
  static constinit Next<int()> most("omp_get_max_threads");
  return most();
}
int size_of_team() {
  static constinit Next<int()> size("omp_get_num_threads");
  return size();
}

/// Of the calling thread in its team: so many barriers.
[[gnu::tls_model("initial-exec")]] thread_local unsigned barriers_met = 0;

/// Returns when all of the team are here and, where there are tasks, when these have ended. Threads
/// meet here before the library brings them together, unless it may have tasks for them.
/// @pre a team of several. @param together  () : the library's barrier
template <class Together>
void meet(Together&& together) {
  Team& here = *team;
  const void* const object = &here.meetings[barriers_met++ % here.meetings.size()];
  const std::uint32_t before = here.barriers;
  bool waits_here = false;
  {
    const Inside counting{Lock::always};
    const Following own{at_barrier};
    waits_here = !here.has_tasks && ++here.here < here.size;
    if (own) {
      threads::release(*own, object);
      here.wait(*own, {object, true});
    }
    if (waits_here) {
      if (own) threads::sleep_on(*own, object);
    } else if (!here.has_tasks) {
      here.here = 0;
      if (own) threads::wake(*own, object, Wakes::all);
      change(here.barriers);
    }
  }
  if (waits_here) sleep_until_changed(here.barriers, before);
  together();
  const Inside counting{Lock::always};
  if (const Following own{at_barrier, Before::sleeping}) {
    here.wait(*own, {});
    threads::acquire(*own, object);
  }
}

/// The thread that has made the team waits until all have begun, so that its clock stays behind
/// theirs until then, and goes on when they have ended: end_region().
void work_as_first(Team& here) {
  const auto others = static_cast<std::uint32_t>(here.size - 1);
  for (std::uint32_t begun = here.begun_by; begun < others; begun = here.begun_by) {
    sleep_on(here.begun_by, begun);
  }
  {
    const Inside counting{Lock::always};
    if (const Following own{in_region, Before::sleeping}) here.own_member().own = &*own;
  }
  here.work(here.data);
  if (here.size == 1) return;
  {
    const Inside counting{Lock::always};
    const Following own{in_region};
    if (own) here.wait(*own, {&here.is_over, true});
    if (own && !here.has_tasks && here.left < here.size - 1) {
      threads::sleep_on(*own, &here.is_over);
    } else if (own) {
      threads::stop_computing(*own);
    }
  }
  sleep_until_changed(here.is_over, 0);
}

void work_as_further(Team& here) {
  {
    const Inside counting{Lock::always};
    if (const Following own{in_region, Before::sleeping}) {
      here.own_member().own = &*own;
      threads::acquire(*own, &here.begun_by);
    }
  }
  change(here.begun_by);
  leave_out(in_region);
  here.work(here.data);
  const Inside counting{Lock::always};
  const Following own{in_region};
  if (own) {
    threads::release(*own, &here.is_over);
    here.wait(*own, {&here.is_over, true});
  }
  if (++here.left == here.size - 1) {
    if (own) threads::wake(*own, &here.is_over, Wakes::all);
    change(here.is_over);
  }
  if (own && here.has_tasks) {
    threads::stop_computing(*own);
  } else if (own) {
    threads::sleep_on(*own, &idle);
  }
}

void work_in_team(void* of_team) {
  Team& here = *static_cast<Team*>(of_team);
  Team* const around = std::exchange(team, &here);
  const unsigned met_around = std::exchange(barriers_met, 0);
  {
    const Inside knowing{Lock::always};
    here.size = size_of_team();
    here.members.resize(static_cast<std::size_t>(here.size));
  }
  if (number_in_team() == 0) {
    work_as_first(here);
  } else {
    work_as_further(here);
  }
  team = around;
  barriers_met = met_around;
}

void work_alone(void* of_team) {
  Team& here = *static_cast<Team*>(of_team);
  Team* const around = std::exchange(team, &here);
  here.work(here.data);
  team = around;
}

/// The library has brought the team together, and carried out its tasks.
void end_region(Team& over) {
  const Inside counting{Lock::always};
  const Following own{in_region, over.size > 1 ? Before::sleeping : Before::computing};
  if (!own) return;
  threads::wait_for_tasks(*own, nullptr);
  threads::acquire(*own, &over.is_over);
  // Those of a team within another one have ended, or are about to.
  for (const Team::Member& one : over.members) {
    const bool stays = team == nullptr && one.own != nullptr && one.own != &*own;
    if (stays) threads::let_sleep(*one.own, &idle);
  }
  for (const void* const object : over.depended_on) threads::forget(object);
  for (const void* const object :
       {static_cast<const void*>(&over.begun_by), static_cast<const void*>(&over.is_over),
        static_cast<const void*>(&over.ordered), static_cast<const void*>(&over.meetings[0]),
        static_cast<const void*>(&over.meetings[1])}) {
    threads::forget(object);
  }
}

/// @param wanted   threads; 0: the program doesn't say
/// @param start    (work, data): the library's own
template <class Start>
auto parallel(Work* work, void* data, unsigned wanted, Start&& start) {
  Team made{.work = work, .data = data, .size = 1};
  if (wanted == 1 || (wanted == 0 && most_threads() == 1)) return start(work_alone, &made);
  threads::are_going_to_be_several();
  {
    const Following own{in_region};
    if (!own) return start(work, data);
    threads::release(*own, &made.begun_by);
  }
  struct Ending {
    Team& over;
    ~Ending() { end_region(over); }
  };
  const Ending ending{made};
  return start(work_in_team, &made);
}

/// Whether a lock of the library's is taken, by its address; guarded by the followers' lock.
std::unordered_map<const void*, bool>& taken() {
  static auto* const all = new std::unordered_map<const void*, bool>;
  return *all;
}

template <class Wait>
void begin_critical(const void* lock, Wait&& wait) {
  bool has_to_wait = false;
  if (const Following own{critical}) {
    has_to_wait = std::exchange(taken()[lock], true);
    if (has_to_wait) threads::sleep_on(*own, lock);
  }
  wait();
  if (const Following own{critical, has_to_wait ? Before::sleeping : Before::computing}) {
    taken()[lock] = true;
    threads::acquire(*own, lock);
  }
}

void let_others_go_on(threads::Own& own, const void* lock) {
  threads::release(own, lock);
  threads::wake(own, lock, Wakes::first);
}

template <class Release>
void end_critical(const void* lock, Release&& release) {
  const Following own{critical};
  if (own) {
    taken()[lock] = false;
    let_others_go_on(*own, lock);
  }
  release();
}

/// The library's own: 0 if another thread has it.
constinit Next<int(void*)> try_lock("omp_test_lock");
/// The same, else how often the thread has it.
constinit Next<int(void*)> try_nest_lock("omp_test_nest_lock");

int try_to_take(void* lock, Next<int(void*)>& attempt) {
  const int result = attempt(lock);
  if (result == 0) return result;
  if (const Following own{of_lock}) threads::acquire(*own, lock);
  return result;
}

constexpr char unnamed = 0;

}  // namespace

namespace commgauge::preload::openmp {

void sleep_until_changed(std::atomic<std::uint32_t>& word, std::uint32_t value) {
  while (word.load(std::memory_order_acquire) == value) sleep_on(word, value);
}
void change(std::atomic<std::uint32_t>& word) {
  word.fetch_add(1, std::memory_order_release);
  wake_sleepers(word, std::numeric_limits<int>::max());
}

Team::Member& Team::own_member() { return members[static_cast<std::size_t>(number_in_team())]; }

Team::Waiting Team::wait(threads::Own& own, const Waiting& how) {
  threads::wait_for_tasks(own, how.takes_tasks ? &unbegun : nullptr);
  return std::exchange(own_member().waiting, how);
}

void Team::begin_tasks(threads::Own& own) {
  if (has_tasks) return;
  has_tasks = true;
  for (const Member& one : members) {
    if (one.own != nullptr && one.own != &own) threads::wake(own, *one.own);
  }
  change(barriers);
  change(is_over);
}

}  // namespace commgauge::preload::openmp

#define REAL(NAME) static constinit Next real(NAME, #NAME)

extern "C" {

void GOMP_parallel(Work* work, void* data, unsigned threads, unsigned flags) {
  REAL(GOMP_parallel);
  parallel(work, data, threads, [&](Work* w, void* d) { real(w, d, threads, flags); });
}
void GOMP_parallel_sections(Work* work, void* data, unsigned threads, unsigned count,
                            unsigned flags) {
  REAL(GOMP_parallel_sections);
  parallel(work, data, threads, [&](Work* w, void* d) { real(w, d, threads, count, flags); });
}

unsigned GOMP_parallel_reductions(Work* work, void* data, unsigned threads, unsigned flags) {
  REAL(GOMP_parallel_reductions);
  return parallel(work, data, threads, [&](Work* w, void* d) {
    *static_cast<void**>(d) = *static_cast<void**>(data);
    return real(w, d, threads, flags);
  });
}

#define PARALLEL_LOOP(NAME)                                                                        \
  void NAME(Work* work, void* data, unsigned threads, long start, long end, long step, long chunk, \
            unsigned flags) {                                                                      \
    REAL(NAME);                                                                                    \
    parallel(work, data, threads,                                                                  \
             [&](Work* w, void* d) { real(w, d, threads, start, end, step, chunk, flags); });      \
  }
#define PARALLEL_LOOP_AT_RUN_TIME(NAME)                                                \
  void NAME(Work* work, void* data, unsigned threads, long start, long end, long step, \
            unsigned flags) {                                                          \
    REAL(NAME);                                                                        \
    parallel(work, data, threads,                                                      \
             [&](Work* w, void* d) { real(w, d, threads, start, end, step, flags); }); \
  }
PARALLEL_LOOP(GOMP_parallel_loop_static)
PARALLEL_LOOP(GOMP_parallel_loop_dynamic)
PARALLEL_LOOP(GOMP_parallel_loop_guided)
PARALLEL_LOOP(GOMP_parallel_loop_nonmonotonic_dynamic)
PARALLEL_LOOP(GOMP_parallel_loop_nonmonotonic_guided)
PARALLEL_LOOP_AT_RUN_TIME(GOMP_parallel_loop_runtime)
PARALLEL_LOOP_AT_RUN_TIME(GOMP_parallel_loop_nonmonotonic_runtime)
PARALLEL_LOOP_AT_RUN_TIME(GOMP_parallel_loop_maybe_nonmonotonic_runtime)

#define BARRIER(NAME)                                     \
  void NAME(void) {                                       \
    REAL(NAME);                                           \
    if (team == nullptr || team->size < 2) return real(); \
    meet([] { real(); });                                 \
  }
BARRIER(GOMP_barrier)
BARRIER(GOMP_loop_end)
BARRIER(GOMP_sections_end)

void GOMP_ordered_start(void) {
  REAL(GOMP_ordered_start);
  if (team == nullptr || team->size < 2) return real();
  static constexpr std::atomic<int> no_tasks{0};
  if (const Following own{in_order}) threads::wait_for_tasks(*own, &no_tasks);
  real();
  if (const Following own{in_order, Before::sleeping}) {
    threads::wait_for_tasks(*own, nullptr);
    threads::acquire(*own, &team->ordered);
  }
}
void GOMP_ordered_end(void) {
  REAL(GOMP_ordered_end);
  if (team != nullptr && team->size > 1) {
    if (const Following own{in_order}) threads::release(*own, &team->ordered);
  }
  real();
}

void GOMP_critical_start(void) {
  REAL(GOMP_critical_start);
  begin_critical(&unnamed, [&] { real(); });
}
void GOMP_critical_end(void) {
  REAL(GOMP_critical_end);
  end_critical(&unnamed, [&] { real(); });
}
void GOMP_critical_name_start(void** name) {
  REAL(GOMP_critical_name_start);
  begin_critical(name, [&] { real(name); });
}
void GOMP_critical_name_end(void** name) {
  REAL(GOMP_critical_name_end);
  end_critical(name, [&] { real(name); });
}
void omp_set_lock(void* lock) {
  REAL(omp_set_lock);
  take(
      of_lock, lock, [&] { return try_lock(lock) != 0 ? 0 : EBUSY; },
      [&] {
        real(lock);
        return 0;
      });
}
int omp_test_lock(void* lock) { return try_to_take(lock, try_lock); }
void omp_unset_lock(void* lock) {
  REAL(omp_unset_lock);
  const Following own{of_lock};
  if (own) let_others_go_on(*own, lock);
  real(lock);
}
void omp_destroy_lock(void* lock) {
  REAL(omp_destroy_lock);
  if (const Following own{of_lock}) threads::forget(lock);
  real(lock);
}

void omp_set_nest_lock(void* lock) {
  REAL(omp_set_nest_lock);
  take(
      of_lock, lock, [&] { return try_nest_lock(lock) != 0 ? 0 : EBUSY; },
      [&] {
        real(lock);
        return 0;
      });
}
int omp_test_nest_lock(void* lock) { return try_to_take(lock, try_nest_lock); }
void omp_unset_nest_lock(void* lock) {
  REAL(omp_unset_nest_lock);
  const Following own{of_lock};
  if (own) {
    // How often the thread has it is only said when it takes it once more.
    const bool is_last = try_nest_lock(lock) == 2;
    real(lock);
    if (is_last) let_others_go_on(*own, lock);
  }
  real(lock);
}
void omp_destroy_nest_lock(void* lock) {
  REAL(omp_destroy_nest_lock);
  if (const Following own{of_lock}) threads::forget(lock);
  real(lock);
}

}  // extern "C"
