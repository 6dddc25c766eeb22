#pragma once

#include <array>
#include <map>
#include <memory>
#include <vector>

#include "threads/openmp_team.hpp"

/// Tasks of OpenMP: one begins no sooner than it was made, whoever carries it out. Who waits for
/// tasks goes on when they have ended. Which thread takes which is the library's choice; it is
/// asked again only when those that wait for longer have had theirs.
namespace commgauge::preload::openmp {

/// Tasks that somebody may wait for together: an object.
struct TaskSet {
  explicit TaskSet(std::shared_ptr<TaskSet> in = {}) : around{std::move(in)} {}
  TaskSet(const TaskSet&) = delete;
  TaskSet& operator=(const TaskSet&) = delete;
  ~TaskSet();

  std::shared_ptr<TaskSet> around;  ///< of a group: the one that it is in
  /// Of siblings, what they depend on, by address; objects: of those that write, and that read.
  std::map<const void*, std::array<char, 2>> addresses;
};
using TaskSetPtr = std::shared_ptr<TaskSet>;

/// One that writes is behind all before it, one that reads behind those that write.
struct Dependence {
  const void* address;
  bool writes;
};

/// What a thread carries out: a task, or its part of a region.
struct Carried {
  TaskSetPtr children{};
  TaskSetPtr group{};
};

struct Task : Carried {
  Team* team{};
  TaskSetPtr siblings{};
  std::vector<Dependence> dependences{};
  Team::Waiting waited{};  ///< how the thread waited that has taken it
  Carried* around{};       ///< what that carried out before
  Seat seat_around{};
};

/// What the calling thread carries out.
[[nodiscard]] Carried*& carried();

/// The calling thread makes one, in its team of several.
[[nodiscard]] std::unique_ptr<Task> make_task();
/// Before it begins.
void depend_on(Task& task, const std::vector<Dependence>& dependences);
/// The calling thread begins to carry it out. @param before  what it did
void begin(Task& task, threads::Before before);
/// It has. Returns when the thread may ask the library for another one.
void end(std::unique_ptr<Task> task);

/// Before the thread waits in the library for tasks, which may have it carry out some meanwhile.
/// @param tasks  nullptr: there are none
void begin_to_wait(const TaskSet* tasks);
void end_to_wait(const TaskSet* tasks);
void begin_group();
void end_group();

}  // namespace commgauge::preload::openmp
