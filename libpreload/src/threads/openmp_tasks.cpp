// Tasks of gcc's OpenMP: one begins no sooner than it was made, whoever carries it out. Who waits
// for tasks goes on when they have ended. Which thread takes which is the library's choice; it is
// asked again only when those that wait for longer have had theirs.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
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

namespace {

using Copy = void(void*, void*);

// The library's flags.
constexpr unsigned depends_on_others = 1U << 3U;
constexpr unsigned without_group = 1U << 11U;
constexpr unsigned has_an_event = 1U << 13U;

constexpr threads::Called of_task{"GOMP_task"};
constexpr threads::Called at_wait{"GOMP_taskwait"};

/// Tasks that somebody may wait for together: an object.
struct Awaited {
  explicit Awaited(std::shared_ptr<Awaited> in = {}) : around{std::move(in)} {}
  Awaited(const Awaited&) = delete;
  Awaited& operator=(const Awaited&) = delete;
  ~Awaited() {
    const Inside counting{Lock::always};
    threads::forget(this);
  }

  std::shared_ptr<Awaited> around;  ///< of a group: the one that it is in
};
using AwaitedPtr = std::shared_ptr<Awaited>;

/// What the calling thread carries out: a task, or its part of a region.
struct Current {
  AwaitedPtr children{};
  AwaitedPtr group{};
};
Current& current() {
  static thread_local Current own;
  return own;
}

/// One that writes is behind all before it, one that reads behind those that write.
struct Dependence {
  std::uintptr_t address;
  bool writes;

  [[nodiscard]] const void* writers() const { return object(1); }
  [[nodiscard]] const void* readers() const { return object(2); }

 private:
  /// Apart from what stands at that address.
  [[nodiscard]] const void* object(std::uintptr_t kind) const {
    return reinterpret_cast<const void*>(address ^ kind << 62U);
  }
};

/// As the library has them: their number, how many write, addresses; or 0, the number, how many are
/// of each kind.
std::vector<Dependence> dependences(void* const* list) {
  const auto number = [&](std::size_t i) { return reinterpret_cast<std::uintptr_t>(list[i]); };
  const bool is_short = number(0) != 0;
  const std::size_t first = is_short ? 2 : 5;
  const std::size_t count = number(is_short ? 0 : 1);
  const std::size_t writers = is_short ? number(1) : number(2) + number(3);
  std::vector<Dependence> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back({number(first + i), i < writers});
  return all;
}

/// What is known of a task while it waits.
struct Kept {
  Team* team;
  AwaitedPtr siblings;
  AwaitedPtr group;
  std::vector<Dependence> dependences;
};

/// Stands before the program's own data of a task.
struct Block {
  void* words[3]{};  ///< where the library itself writes, and reads: a loop's range, reductions
  Work* work{};
  Copy* copy{};
  void* data{};  ///< of which the task gets a copy
  std::size_t size{};
  std::size_t offset{};  ///< of the copy
  bool is_of_loop{};
  const std::vector<Dependence>* dependences{};
  Kept* kept{};
};

std::byte* data_of(Block& block) { return reinterpret_cast<std::byte*>(&block) + block.offset; }

/// Of a task that is being made.
void copy_block(void* to, void* from) {
  Block& made = *new (to) Block(*static_cast<Block*>(from));
  if (made.copy != nullptr) {
    made.copy(data_of(made), made.data);
  } else if (made.size > 0) {
    std::memcpy(data_of(made), made.data, made.size);
  }
  Current& here = current();
  if (here.children == nullptr) here.children = std::make_shared<Awaited>();
  made.kept = new Kept{team, here.children, here.group, {}};
  if (made.dependences != nullptr) made.kept->dependences = *made.dependences;
  const Inside counting{Lock::always};
  const Following own{of_task};
  ++team->unbegun;
  for (const Dependence& one : made.kept->dependences) {
    team->depended_on.insert({one.writers(), one.readers()});
  }
  if (!own) return;
  threads::release(*own, &made);
  team->begin_tasks(*own);
}

void acquire_all(threads::Own& own, const Kept& task) {
  for (const Dependence& one : task.dependences) {
    threads::acquire(own, one.writers());
    if (one.writes) threads::acquire(own, one.readers());
  }
}

void release_all(threads::Own& own, const Kept& task, const void* waited_at) {
  threads::release(own, task.siblings.get());
  if (task.group != nullptr) threads::release(own, task.group.get());
  if (waited_at != nullptr) threads::release(own, waited_at);
  for (const Dependence& one : task.dependences) {
    threads::release(own, one.writes ? one.writers() : one.readers());
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

void carry_out(void* of_task_) {
  Block& block = *static_cast<Block*>(of_task_);
  const std::unique_ptr<Kept> task(block.kept);
  Team& here = *task->team;
  Team::Waiting waited;
  {
    const Inside counting{Lock::always};
    const Following own{of_task, Before::sleeping};
    --here.unbegun;
    if (own) {
      waited = here.wait(*own, {});
      threads::acquire(*own, &block);
      threads::forget(&block);
      acquire_all(*own, *task);
    }
  }
  change(here.begun);
  if (block.is_of_loop) std::memcpy(data_of(block), block.words, 2 * sizeof(void*));
  const Current around = std::exchange(current(), {nullptr, task->group});
  block.work(data_of(block));
  current() = around;
  if (const Following own{of_task}) {
    release_all(*own, *task, waited.object);
    here.wait(*own, waited);
    threads::stop_computing(*own);
  }
  let_others_begin(here);
}

bool has_team() { return team != nullptr && team->size > 1; }

std::size_t round_up(std::size_t size, std::size_t unit) { return (size + unit - 1) / unit * unit; }

/// @param start  (work, block, copy, its size, its alignment): the library's own
template <class Start>
void make(Block block, long size, long align, Start&& start) {
  const std::size_t unit = std::max<std::size_t>(static_cast<std::size_t>(align), alignof(Block));
  block.size = static_cast<std::size_t>(size);
  block.offset = round_up(sizeof(Block), unit);
  start(carry_out, &block, copy_block, static_cast<long>(block.offset + block.size),
        static_cast<long>(unit));
}

/// Waits in the library, which may have the thread carry out tasks meanwhile.
template <class Wait>
void wait_for(const Awaited* tasks, Wait&& wait) {
  if (!has_team() || tasks == nullptr) return wait();
  if (const Following own{at_wait}) team->wait(*own, {.takes_tasks = true});
  wait();
  const Inside counting{Lock::always};
  const Following own{at_wait, Before::sleeping};
  if (!own) return;
  team->wait(*own, {});
  threads::acquire(*own, tasks);
}

void begin_group() {
  AwaitedPtr& group = current().group;
  group = std::make_shared<Awaited>(group);
}
template <class Wait>
void end_group(Wait&& wait) {
  const AwaitedPtr group = current().group;
  wait_for(group.get(), wait);
  if (group != nullptr) current().group = group->around;
}

template <class Start>
void make_loop(Block block, long size, long align, unsigned flags, Start&& start) {
  std::memcpy(block.words, block.data, std::min<std::size_t>(size, sizeof block.words));
  block.is_of_loop = true;
  if ((flags & without_group) != 0) return make(block, size, align, start);
  begin_group();
  end_group([&] { make(block, size, align, start); });
}

}  // namespace

#define REAL(NAME) static constinit Next real(NAME, #NAME)

extern "C" {

/// One that ends by an event is the library's alone.
void GOMP_task(Work* work, void* data, Copy* copy, long size, long align, bool condition,
               unsigned flags, void** depends, int priority, void* event) {
  REAL(GOMP_task);
  if (!has_team() || (flags & has_an_event) != 0) {
    return real(work, data, copy, size, align, condition, flags, depends, priority, event);
  }
  std::vector<Dependence> all;
  if ((flags & depends_on_others) != 0) all = dependences(depends);
  if (!all.empty()) team->are_dependent = true;
  make({.work = work, .copy = copy, .data = data, .dependences = &all}, size, align,
       [&](Work* w, void* d, Copy* c, long s, long a) {
         real(w, d, c, s, a, condition, flags, depends, priority, event);
       });
}

#define TASK_LOOP(NAME, TYPE)                                                               \
  void NAME(Work* work, void* data, Copy* copy, long size, long align, unsigned flags,      \
            unsigned long tasks, int priority, TYPE start, TYPE end, TYPE step) {           \
    REAL(NAME);                                                                             \
    if (!has_team()) {                                                                      \
      return real(work, data, copy, size, align, flags, tasks, priority, start, end, step); \
    }                                                                                       \
    make_loop({.work = work, .copy = copy, .data = data}, size, align, flags,               \
              [&](Work* w, void* d, Copy* c, long s, long a) {                              \
                real(w, d, c, s, a, flags, tasks, priority, start, end, step);              \
              });                                                                           \
  }
TASK_LOOP(GOMP_taskloop, long)
TASK_LOOP(GOMP_taskloop_ull, unsigned long long)

void GOMP_taskwait(void) {
  REAL(GOMP_taskwait);
  wait_for(current().children.get(), [] { real(); });
}
void GOMP_taskwait_depend(void** depends) {
  REAL(GOMP_taskwait_depend);
  wait_for(current().children.get(), [&] { real(depends); });
}

void GOMP_taskgroup_start(void) {
  REAL(GOMP_taskgroup_start);
  if (has_team()) begin_group();
  real();
}
void GOMP_taskgroup_end(void) {
  REAL(GOMP_taskgroup_end);
  end_group([] { real(); });
}

}  // extern "C"
