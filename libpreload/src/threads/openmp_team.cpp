#include "threads/openmp_team.hpp"

#include <limits>
#include <unordered_map>
#include <utility>

#include "system/futex_lock.hpp"

namespace commgauge::preload::openmp {

using threads::Before;
using threads::Following;
using threads::Inside;
using threads::Lock;
using threads::Wakes;

namespace {

/// What threads of no team sleep on.
constexpr char idle = 0;

// As which calls a trace has what they do.
constexpr threads::Called in_region{"omp parallel"};
constexpr threads::Called at_barrier{"omp barrier"};
constexpr threads::Called critical{"omp critical"};
constexpr threads::Called in_order{"omp ordered"};

/// Sleeps until the word is another, with the thread's clock standing still.
void sleep_until_changed(std::atomic<std::uint32_t>& word, std::uint32_t value) {
  while (word.load(std::memory_order_acquire) == value) sleep_on(word, value);
}

/// Whether a section's lock is taken, by its address; guarded by the followers' lock.
std::unordered_map<const void*, bool>& taken() {
  static auto* const all = new std::unordered_map<const void*, bool>;
  return *all;
}

}  // namespace

void change(std::atomic<std::uint32_t>& word) {
  word.fetch_add(1, std::memory_order_release);
  wake_sleepers(word, std::numeric_limits<int>::max());
}

Team::Member& Team::own_member() { return members[static_cast<std::size_t>(seat.number)]; }

Team::Waiting Team::wait(threads::Own& own, const Waiting& how) {
  threads::wait_for_tasks(own, how.takes_tasks ? &unbegun : nullptr);
  return std::exchange(own_member().waiting, how);
}

void Team::begin_tasks(threads::Own& own) {
  if (has_tasks) return;
  has_tasks = true;
  for (const Member& one : members) {
    if (one.waiting.object != nullptr && one.own != &own) threads::wake(own, *one.own);
  }
  change(barriers);
  change(is_over);
}

/// Whether one that waits would begin the next task sooner than the calling thread.
bool Team::is_anothers_turn() {
  const Inside counting{Lock::always};
  threads::Own* const own = own_member().own;
  if (own == nullptr || unbegun <= 0) return false;
  for (const Member& other : members) {
    const bool may_begin =
        other.own != nullptr && other.own != own && other.waiting.object != nullptr;
    if (may_begin && other.own->clock() < own->clock()) return true;
  }
  return false;
}

void Team::let_others_begin() {
  constexpr double longest = 50e-3;  // [s] for one to wake up
  if constexpr (!threads::are_virtual) return;
  for (int turn = 0; turn < size && gives_turns; ++turn) {
    const std::uint32_t before = begun;
    if (!is_anothers_turn()) return;
    sleep_on(begun, before, longest);
    gives_turns = begun != before;
  }
}

bool begin_region(Team& made) {
  threads::are_going_to_be_several();
  const Following own{in_region};
  if (own) threads::release(*own, &made.begun_by);
  return static_cast<bool>(own);
}

void set_size(Team& team, int size) {
  const Inside knowing{Lock::always};
  team.size = size;
  team.members.resize(static_cast<std::size_t>(size));
}

/// The thread that has made the team waits until all have begun, so that its clock stays behind
/// theirs until then.
void begin_work() {
  Team& here = *seat.team;
  const auto others = static_cast<std::uint32_t>(here.size - 1);
  const bool is_first = seat.number == 0;
  for (std::uint32_t begun = here.begun_by; is_first && begun < others; begun = here.begun_by) {
    sleep_on(here.begun_by, begun);
  }
  {
    const Inside counting{Lock::always};
    const Following own{in_region, Before::sleeping};
    if (own) here.own_member().own = &*own;
    if (own && !is_first) threads::acquire(*own, &here.begun_by);
  }
  if (is_first) return;
  change(here.begun_by);
  leave_out(in_region);
}

namespace {

/// It goes on when all have ended: end_region().
void end_work_of_first(Team& here) {
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
  if (here.has_tasks) here.let_others_begin();
}

void end_work_of_further(Team& here) {
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

}  // namespace

void end_work() {
  Team& here = *seat.team;
  if (here.size == 1) return;
  if (seat.number == 0) {
    end_work_of_first(here);
  } else {
    end_work_of_further(here);
  }
}

void end_region(Team& over, bool threads_stay) {
  const Inside counting{Lock::always};
  const Following own{in_region, over.size > 1 ? Before::sleeping : Before::computing};
  if (!own) return;
  threads::wait_for_tasks(*own, nullptr);
  threads::acquire(*own, &over.is_over);
  for (const Team::Member& one : over.members) {
    if (one.own == nullptr || one.own == &*own) continue;
    if (threads_stay) {
      threads::let_sleep(*one.own, &idle);
    } else {
      threads::wait_no_longer(one.own);
    }
  }
  for (const void* const object :
       {static_cast<const void*>(&over.begun_by), static_cast<const void*>(&over.is_over),
        static_cast<const void*>(&over.ordered), static_cast<const void*>(&over.meetings[0]),
        static_cast<const void*>(&over.meetings[1])}) {
    threads::forget(object);
  }
}

/// Returns when all of the team are here, unless there are tasks: then the library may have some
/// for those that wait.
const void* begin_meeting() {
  Team& here = *seat.team;
  const void* const object = &here.meetings[seat.barriers++ % here.meetings.size()];
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
  if (here.has_tasks) here.let_others_begin();
  return object;
}

/// The library lets all go on: from the same time, whoever comes out first.
void end_meeting(const void* object) {
  const Inside counting{Lock::always};
  const Following own{at_barrier, Before::sleeping};
  if (!own) return;
  Team& here = *seat.team;
  here.wait(*own, {});
  threads::acquire(*own, object);
  for (Team::Member& one : here.members) {
    if (one.waiting.object != object) continue;
    one.waiting = {};
    threads::let_go_on(*own, *one.own);
  }
}

bool wait_for_section(const void* lock) {
  const Following own{critical};
  if (!own) return false;
  const bool has_to_wait = std::exchange(taken()[lock], true);
  if (has_to_wait) threads::sleep_on(*own, lock);
  return has_to_wait;
}
void has_section(const void* lock, bool has_waited) {
  if (const Following own{critical, has_waited ? Before::sleeping : Before::computing}) {
    taken()[lock] = true;
    threads::acquire(*own, lock);
  }
}
void end_section(const void* lock) {
  const Following own{critical};
  if (!own) return;
  taken()[lock] = false;
  let_go(*own, lock, Wakes::first);
}

void wait_for_order() {
  static constexpr std::atomic<int> no_tasks{0};
  if (const Following own{in_order}) threads::wait_for_tasks(*own, &no_tasks);
}
void has_order() {
  if (const Following own{in_order, Before::sleeping}) {
    threads::wait_for_tasks(*own, nullptr);
    threads::acquire(*own, &seat.team->ordered);
  }
}
void end_order() {
  if (const Following own{in_order}) threads::release(*own, &seat.team->ordered);
}

}  // namespace commgauge::preload::openmp
