#include "threads/openmp_tasks.hpp"

#include <utility>

#include "system/futex_lock.hpp"

namespace commgauge::preload::openmp {

using threads::Before;
using threads::Following;
using threads::Inside;
using threads::Lock;

namespace {

constexpr threads::Called of_task{"omp task"};
constexpr threads::Called at_wait{"omp taskwait"};

void acquire_all(threads::Own& own, const Task& task) {
  threads::acquire(own, &task);
  threads::forget(&task);
  for (const Dependence& one : task.dependences) {
    const auto& [writers, readers] = task.siblings->addresses.at(one.address);
    threads::acquire(own, &writers);
    if (one.writes) threads::acquire(own, &readers);
  }
}

void release_all(threads::Own& own, const Task& task) {
  threads::release(own, task.siblings.get());
  if (task.group != nullptr) threads::release(own, task.group.get());
  if (task.waited.object != nullptr) threads::release(own, task.waited.object);
  for (const Dependence& one : task.dependences) {
    const auto& [writers, readers] = task.siblings->addresses.at(one.address);
    threads::release(own, one.writes ? &writers : &readers);
  }
}

}  // namespace

TaskSet::~TaskSet() {
  const Inside counting{Lock::always};
  threads::forget(this);
  for (const auto& [address, objects] : addresses) {
    for (const char& one : objects) threads::forget(&one);
  }
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
  task.team->takes_turns = false;
  for (const Dependence& one : dependences) task.siblings->addresses[one.address];
}

void begin(Task& task, Before before) {
  Team& here = *task.team;
  task.seat_around = seat;
  if (seat.team != &here) seat = seat_left;
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
    if (task->waited.takes_tasks) threads::stop_computing(*own);
  }
  const Seat around = task->seat_around;
  task.reset();
  if (here.takes_turns) here.let_others_begin();
  seat = around;
}

void begin_to_wait(const TaskSet* tasks) {
  if (!has_team() || tasks == nullptr) return;
  if (const Following own{at_wait}) seat.team->wait(*own, {.takes_tasks = true});
  seat.team->let_others_begin();
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
  if (!has_team() || group == nullptr) return;
  end_to_wait(group.get());
  group = TaskSetPtr{group->around};
}

}  // namespace commgauge::preload::openmp
