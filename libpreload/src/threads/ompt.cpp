// OpenMP of libraries with its interface for tools (OpenMP 5.0, chapter 4.5): LLVM's, and those
// made of it. The library calls these functions where it brings threads together.

#include <cstdint>
#include <memory>
#include <utility>

#include "threads/openmp_tasks.hpp"

using namespace commgauge::preload;
using namespace commgauge::preload::openmp;
using threads::Before;

namespace {

// The interface's own, as far as it is used here.

union Data {
  std::uint64_t value;
  void* pointer;
};

enum Endpoint : int { begins = 1, ends = 2 };

enum Event : int {
  parallel_begin = 3,
  parallel_end = 4,
  task_create = 5,
  task_schedule = 6,
  implicit_task = 7,
  mutex_released = 17,
  task_dependences = 18,
  sync_region_wait = 16,
  sync_region = 23,
  mutex_acquire = 26,
  mutex_acquired = 27
};

enum SyncRegion : int {
  barrier = 1,
  barrier_implicit = 2,
  barrier_explicit = 3,
  barrier_implementation = 4,
  taskwait = 5,
  taskgroup = 6,
  barrier_implicit_workshare = 8,
  barrier_implicit_parallel = 9
};

enum Mutex : int { critical = 5, ordered = 7 };

constexpr int of_league = 0x40000000;
constexpr int is_initial = 1;
constexpr int is_explicit = 4;
enum Status : int { is_complete = 1, is_cancelled = 3 };

struct Dependency {
  Data variable;
  int type;
};
constexpr int reads_only = 1;

using Callback = void (*)();
using SetCallback = int(int, Callback);
using Lookup = Callback (*)(const char*);

// What is known of a region, a part of it, and a task: each is the library's to keep.

struct Made {
  Team team{};
  const void* code{};
};

/// What a thread does: it, or a task.
struct Done {
  openmp::Task* task{};  ///< nullptr: a part of a region
  bool has_begun{};
  Carried part{};
  struct Around {
    Seat seat{};
    Carried* carried{};
    const void* code{};
    bool has_left{};
  } around{};
};

template <class Known>
Known* known(const Data* data) {
  return data != nullptr ? static_cast<Known*>(data->pointer) : nullptr;
}

/// Of the calling thread, in a barrier or before a section.
[[gnu::tls_model("initial-exec")]] thread_local const void* meeting = nullptr;
[[gnu::tls_model("initial-exec")]] thread_local bool has_waited = false;
/// Where in the program the region begins.
[[gnu::tls_model("initial-exec")]] thread_local const void* code_of_region = nullptr;
/// It has done its part of the region, but may carry out tasks.
[[gnu::tls_model("initial-exec")]] thread_local bool has_left = false;

void on_parallel_begin(Data*, const void*, Data* region, unsigned, int flags, const void* code) {
  region->pointer = nullptr;
  if ((flags & of_league) != 0) return;
  auto made = std::make_unique<Made>();
  made->code = code;
  if (begin_region(made->team)) region->pointer = made.release();
}

void on_parallel_end(Data* region, Data*, int, const void*) {
  const std::unique_ptr<Made> over(known<Made>(region));
  if (over != nullptr) end_region(over->team, true);
}

void on_implicit_task(Endpoint endpoint, Data* region, Data* task, unsigned size, unsigned number,
                      int flags) {
  if ((flags & is_initial) != 0) return;
  if (endpoint == begins) {
    task->pointer = nullptr;
    Made* const here = known<Made>(region);
    if (here == nullptr) return;
    auto* const own = new Done{.around = {seat, carried(), code_of_region, has_left}};
    task->pointer = own;
    code_of_region = here->code;
    seat = {&here->team, static_cast<int>(number)};
    carried() = &own->part;
    has_left = false;
    set_size(here->team, static_cast<int>(size));
    begin_work();
    return;
  }
  const std::unique_ptr<Done> own(known<Done>(task));
  if (own == nullptr) return;
  seat = own->around.seat;
  carried() = own->around.carried;
  code_of_region = own->around.code;
  has_left = own->around.has_left;
}

bool is_barrier(SyncRegion kind) {
  return kind <= barrier_implementation || kind == barrier_implicit_workshare ||
         kind == barrier_implicit_parallel;
}

/// Whether it is the one at the end of a parallel region. Older libraries don't say so: of others
/// one knows where in the program they are.
bool ends_region(SyncRegion kind, const void* code) {
  if (kind == barrier_implicit_parallel) return true;
  return kind <= barrier_implicit && (code == nullptr || code == code_of_region);
}

void on_sync_region(SyncRegion kind, Endpoint endpoint, Data*, Data*, const void* code) {
  // One that has left may stand in a team that isn't there any more.
  if (has_left || !has_team()) return;
  if (kind == taskwait) {
    const TaskSet* const children = carried()->children.get();
    return endpoint == begins ? begin_to_wait(children) : end_to_wait(children);
  }
  if (kind == taskgroup) return endpoint == begins ? begin_group() : end_group();
  if (!is_barrier(kind)) return;
  if (endpoint == begins && ends_region(kind, code)) {
    has_left = true;
    end_work();
  } else if (endpoint == begins) {
    meeting = begin_meeting();
  } else if (meeting != nullptr) {
    end_meeting(std::exchange(meeting, nullptr));
  }
}

/// A group's tasks are waited for at its end.
void on_sync_region_wait(SyncRegion kind, Endpoint endpoint, Data*, Data*, const void*) {
  if (kind == taskgroup && endpoint == begins && has_team()) {
    begin_to_wait(carried()->group.get());
  }
}

void on_task_create(Data*, const void*, Data* task, int flags, int, const void*) {
  task->pointer = nullptr;
  if ((flags & is_explicit) == 0 || !has_team()) return;
  task->pointer = new Done{.task = make_task().release()};
}

void on_dependences(Data* task, const Dependency* list, int count) {
  const Done* const known_task = known<Done>(task);
  if (known_task == nullptr || known_task->task == nullptr) return;
  std::vector<Dependence> all;
  for (int i = 0; i < count; ++i) {
    all.push_back({list[i].variable.pointer, list[i].type != reads_only});
  }
  depend_on(*known_task->task, all);
}

/// The thread begins `next` or goes on with it, and has ended `prior` or goes on with that later.
void on_task_schedule(Data* prior, Status status, Data* next) {
  if (Done* const done = known<Done>(prior); done != nullptr && done->task != nullptr) {
    if (status == is_complete || status == is_cancelled) {
      if (done->has_begun) {
        end(std::unique_ptr<openmp::Task>(done->task));
      } else {
        delete done->task;
      }
      delete done;
      prior->pointer = nullptr;
    }
  }
  Done* const done = known<Done>(next);
  if (done == nullptr) return;
  if (done->task != nullptr && !done->has_begun) {
    done->has_begun = true;
    const Team::Waiting how = done->task->team->own_member().waiting;
    begin(*done->task, how.takes_tasks ? Before::sleeping : Before::computing);
  }
  carried() = done->task != nullptr ? done->task : &done->part;
}

/// Sections by their address in the library.
const void* lock_at(std::uint64_t wait) { return reinterpret_cast<const void*>(wait); }

void on_mutex_acquire(Mutex kind, unsigned, unsigned, std::uint64_t wait, const void*) {
  if (kind == critical) has_waited = wait_for_section(lock_at(wait));
  if (kind == ordered && has_team()) wait_for_order();
}
void on_mutex_acquired(Mutex kind, std::uint64_t wait, const void*) {
  if (kind == critical) has_section(lock_at(wait), std::exchange(has_waited, false));
  if (kind == ordered && has_team()) has_order();
}
void on_mutex_released(Mutex kind, std::uint64_t wait, const void*) {
  if (kind == critical) end_section(lock_at(wait));
  if (kind == ordered && has_team()) end_order();
}

int initialize(Lookup lookup, int, Data*) {
  auto* const set = reinterpret_cast<SetCallback*>(lookup("ompt_set_callback"));
  if (set == nullptr) return 0;
  const auto call = [&](Event event, auto* function) {
    set(event, reinterpret_cast<Callback>(function));
  };
  call(parallel_begin, on_parallel_begin);
  call(parallel_end, on_parallel_end);
  call(implicit_task, on_implicit_task);
  call(sync_region, on_sync_region);
  call(sync_region_wait, on_sync_region_wait);
  call(task_create, on_task_create);
  call(task_schedule, on_task_schedule);
  call(task_dependences, on_dependences);
  call(mutex_acquire, on_mutex_acquire);
  call(mutex_acquired, on_mutex_acquired);
  call(mutex_released, on_mutex_released);
  return 1;
}
void finalize(Data*) {}

struct Tool {
  int (*initialize)(Lookup, int, Data*);
  void (*finalize)(Data*);
  Data data;
};

}  // namespace

/// The library asks for it when it starts.
extern "C" Tool* ompt_start_tool(unsigned, const char*) {
  static Tool tool{initialize, finalize, {}};
  return &tool;
}
