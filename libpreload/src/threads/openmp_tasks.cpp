#include "openmp_tasks.hpp"

#include <utility>

#include "futex_lock.hpp"

namespace commgauge::preload::openmp {

using threads::Before;
using threads::Following;
using threads::Inside;
using threads::Lock;

namespace {

constexpr threads::Called of_task{"omp task"};
constexpr threads::Called at_wait{"omp taskwait"};

/// Objects: apart from what stands at that address.
const void* object_at(const void* address, std::uintptr_t kind) {
  return reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(address) ^ kind << 62U);
}
const void* writers_of(const void* address) { return object_at(address, 1); }
const void* readers_of(const void* address) { return object_at(address, 2); }

void acquire_all(threads::Own& own, const Task& task) {
  threads::acquire(own, &task);
  threads::forget(&task);
  for (const Dependence& one : task.dependences) {
    threads::acquire(own, writers_of(one.address));
    if (one.writes) threads::acquire(own, readers_of(one.address));
  }
}

void release_all(threads::Own& own, const Task& task) {
  threads::release(own, task.siblings.get());
  if (task.group != nullptr) threads::release(own, task.group.get());
  if (task.waited.object != nullptr) threads::release(own, task.waited.object);
  for (const Dependence& one : task.dependences) {
    threads::release(own, one.writes ? writers_of(one.address) : readers_of(one.address));
  }
}

/// Whether one of the team that waits would have begun the next task sooner.
bool is_anothers_turn(Team& here) {
  const Inside counting{Lock::always};
  threads::Own* const own = here.own_member().own;
  if (own == nullptr || here.unbegun <= 0 || here.are_dependent) return false;
  for (const Team::Member& other : here.members) {
    const bool may_begin =
        other.own != nullptr && other.own != own && other.waiting.object != nullptr;
    if (may_begin && other.own->clock() < own->clock()) return true;
  }
  return false;
}

/// Where times are virtual the thread that has just ended a task may be the first to ask for the
/// next one, though others have waited for longer.
void let_others_begin(Team& here) {
  constexpr double longest = 50e-3;  // [s] for one to wake up
  if constexpr (!threads::are_virtual) return;
  for (int turn = 0; turn < here.size; ++turn) {
    const std::uint32_t begun = here.begun;
    if (!is_anothers_turn(here)) return;
    sleep_on(here.begun, begun, longest);
    if (here.begun != begun) continue;
    here.are_dependent = true;  // or they can't for another reason
    return;
  }
}

}  // namespace

TaskSet::~TaskSet() {
  const Inside counting{Lock::always};
  threads::forget(this);
}

Carried*& carried() {
  static thread_local Carried outside;
  [[gnu::tls_model("initial-exec")]] static thread_local Carried* now = &outside;
  return now;
}

std::unique_ptr<Task> make_task() {
  Carried& maker = *carried();
  if (maker.children == nullptr) maker.children = std::make_shared<TaskSet>();
  auto made = std::make_unique<Task>();
  made->group = maker.group;
  made->team = seat.team;
  made->siblings = maker.children;
  const Inside counting{Lock::always};
  const Following own{of_task};
  ++seat.team->unbegun;
  if (own) {
    threads::release(*own, made.get());
    seat.team->begin_tasks(*own);
  }
  return made;
}

void depend_on(Task& task, const std::vector<Dependence>& dependences) {
  if (dependences.empty()) return;
  task.dependences = dependences;
  const Inside counting{Lock::always};
  task.team->are_dependent = true;
  for (const Dependence& one : dependences) {
    task.team->depended_on.insert({writers_of(one.address), readers_of(one.address)});
  }
}

void begin(Task& task, Before before) {
  Team& here = *task.team;
  {
    const Inside counting{Lock::always};
    const Following own{of_task, before};
    --here.unbegun;
    if (own) {
      task.waited = here.wait(*own, {});
      acquire_all(*own, task);
    }
  }
  change(here.begun);
  task.around = std::exchange(carried(), &task);
}

void end(std::unique_ptr<Task> task) {
  Team& here = *task->team;
  carried() = task->around;
  if (const Following own{of_task}) {
    release_all(*own, *task);
    here.wait(*own, task->waited);
    threads::stop_computing(*own);
  }
  task.reset();
  let_others_begin(here);
}

void begin_to_wait(const TaskSet* tasks) {
  if (!has_team() || tasks == nullptr) return;
  if (const Following own{at_wait}) seat.team->wait(*own, {.takes_tasks = true});
}
void end_to_wait(const TaskSet* tasks) {
  if (!has_team() || tasks == nullptr) return;
  const Inside counting{Lock::always};
  const Following own{at_wait, Before::sleeping};
  if (!own) return;
  seat.team->wait(*own, {});
  threads::acquire(*own, tasks);
}

void begin_group() {
  TaskSetPtr& group = carried()->group;
  group = std::make_shared<TaskSet>(group);
}
void end_group() {
  TaskSetPtr& group = carried()->group;
  if (group == nullptr) return;
  end_to_wait(group.get());
  group = TaskSetPtr{group->around};
}

}  // namespace commgauge::preload::openmp
