// OpenMP of gcc's library, which has no interface for tools: functions of these names take the
// place of its own.

#include <cerrno>
#include <utility>

#include "system/c_library.hpp"
#include "threads/openmp_tasks.hpp"

using namespace commgauge::preload;
using namespace commgauge::preload::openmp;
using threads::Following;
using threads::Wakes;

namespace {

using Work = void(void*);

/// What the library passes on to its threads.
struct Region {
  void* reductions{};  ///< its own, of tasks, which it looks for here
  Work* work{};
  void* data{};
  Team team{};
};

constexpr threads::Called of_lock{"omp_lock"};

int number_in_team() {
  static constinit Next<int()> number("omp_get_thread_num");
  return number();
}
int most_threads() {
  static constinit Next<int()> most("omp_get_max_threads");
  return most();
}
int size_of_team() {
  static constinit Next<int()> size("omp_get_num_threads");
  return size();
}

/// What the calling thread does of it.
class Part {
 public:
  Part(Region& region, int number)
      : around_{std::exchange(seat, {&region.team, number})},
        carried_around_{std::exchange(carried(), &own_)} {}
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;
  ~Part() {
    seat_left = std::exchange(seat, around_);
    carried() = carried_around_;
  }

 private:
  Carried own_;
  Seat around_;
  Carried* carried_around_;
};

void work_in_team(void* of_region) {
  Region& here = *static_cast<Region*>(of_region);
  const Part part(here, number_in_team());
  set_size(here.team, size_of_team());
  begin_work();
  here.work(here.data);
  end_work();
}

void work_alone(void* of_region) {
  Region& here = *static_cast<Region*>(of_region);
  const Part part(here, 0);
  here.work(here.data);
}

/// @param wanted   threads; 0: the program doesn't say
/// @param start    (work, data): the library's own
template <class Start>
auto parallel(Work* work, void* data, unsigned wanted, Start&& start) {
  Region made{.work = work, .data = data};
  if (wanted == 1 || (wanted == 0 && most_threads() == 1)) return start(work_alone, &made);
  if (!begin_region(made.team)) return start(work, data);
  struct Ending {
    Team& over;
    ~Ending() { end_region(over, seat.team == nullptr); }
  };
  const Ending ending{made.team};
  return start(work_in_team, &made);
}

/// The library's own: 0 if another thread has it.
constinit Next<int(void*)> try_lock("omp_test_lock");
/// The same, else how often the thread has it.
constinit Next<int(void*)> try_nest_lock("omp_test_nest_lock");

int try_omp_lock(void* lock, Next<int(void*)>& attempt) {
  const int result = attempt(lock);
  if (result == 0) return result;
  if (const Following own{of_lock}) threads::acquire(*own, lock);
  return result;
}

constexpr char unnamed = 0;

}  // namespace

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

#define BARRIER(NAME)                           \
  void NAME(void) {                             \
    REAL(NAME);                                 \
    if (!has_team()) return real();             \
    const void* const object = begin_meeting(); \
    real();                                     \
    end_meeting(object);                        \
  }
BARRIER(GOMP_barrier)
BARRIER(GOMP_loop_end)
BARRIER(GOMP_sections_end)

void GOMP_ordered_start(void) {
  REAL(GOMP_ordered_start);
  if (!has_team()) return real();
  wait_for_order();
  real();
  has_order();
}
void GOMP_ordered_end(void) {
  REAL(GOMP_ordered_end);
  if (has_team()) end_order();
  real();
}

void GOMP_critical_start(void) {
  REAL(GOMP_critical_start);
  const bool has_waited = wait_for_section(&unnamed);
  real();
  has_section(&unnamed, has_waited);
}
void GOMP_critical_end(void) {
  REAL(GOMP_critical_end);
  end_section(&unnamed);
  real();
}
void GOMP_critical_name_start(void** name) {
  REAL(GOMP_critical_name_start);
  const bool has_waited = wait_for_section(name);
  real(name);
  has_section(name, has_waited);
}
void GOMP_critical_name_end(void** name) {
  REAL(GOMP_critical_name_end);
  end_section(name);
  real(name);
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
int omp_test_lock(void* lock) { return try_omp_lock(lock, try_lock); }
void omp_unset_lock(void* lock) {
  REAL(omp_unset_lock);
  const Following own{of_lock};
  if (own) let_go(*own, lock, Wakes::first);
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
int omp_test_nest_lock(void* lock) { return try_omp_lock(lock, try_nest_lock); }
void omp_unset_nest_lock(void* lock) {
  REAL(omp_unset_nest_lock);
  const Following own{of_lock};
  if (own) {
    // How often the thread has it is only said when it takes it once more.
    const bool is_last = try_nest_lock(lock) == 2;
    real(lock);
    if (is_last) let_go(*own, lock, Wakes::first);
  }
  real(lock);
}
void omp_destroy_nest_lock(void* lock) {
  REAL(omp_destroy_nest_lock);
  if (const Following own{of_lock}) threads::forget(lock);
  real(lock);
}

}  // extern "C"

#undef REAL
