// Tasks of gcc's OpenMP. One is a copy of the program's data that the library makes; here it stands
// behind what is known of the task.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

#include "system/c_library.hpp"
#include "threads/openmp_tasks.hpp"

using namespace commgauge::preload;
using namespace commgauge::preload::openmp;

namespace {

using Work = void(void*);
using Copy = void(void*, void*);

// The library's flags.
constexpr unsigned depends_on_others = 1U << 3U;
constexpr unsigned without_group = 1U << 11U;
constexpr unsigned has_an_event = 1U << 13U;

/// Where a program keeps a dependence for later.
struct DependenceObject {
  const void* address;
  std::uintptr_t kind;

  static constexpr std::uintptr_t reads_only = 1;
};

/// As the library has them: their number, how many write, addresses; or 0, the number, how many are
/// of each kind, addresses, objects.
std::vector<Dependence> dependences_in(void* const* list) {
  const auto number = [&](std::size_t i) { return reinterpret_cast<std::uintptr_t>(list[i]); };
  const bool is_short = number(0) != 0;
  const std::size_t first = is_short ? 2 : 5;
  const std::size_t count = number(is_short ? 0 : 1);
  const std::size_t writers = is_short ? number(1) : number(2) + number(3);
  const std::size_t addresses = is_short ? count : writers + number(4);
  std::vector<Dependence> all;
  for (std::size_t i = 0; i < count; ++i) {
    void* const one = list[first + i];
    if (i < addresses) {
      all.push_back({one, i < writers});
    } else {
      const auto& object = *static_cast<const DependenceObject*>(one);
      all.push_back({object.address, object.kind != DependenceObject::reads_only});
    }
  }
  return all;
}

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
  openmp::Task* task{};
};

std::byte* data_of(Block& block) { return reinterpret_cast<std::byte*>(&block) + block.offset; }

void make_task_of(Block& block) {
  block.task = make_task().release();
  if (block.dependences != nullptr) depend_on(*block.task, *block.dependences);
}

/// Of a task that is being made, with data of which there is more to be done than copying bytes, or
/// of many at once.
void copy_block(void* to, void* from) {
  Block& made = *new (to) Block(*static_cast<Block*>(from));
  if (made.copy != nullptr) {
    made.copy(data_of(made), made.data);
  } else if (made.size > 0) {
    std::memcpy(data_of(made), made.data, made.size);
  }
  make_task_of(made);
}

void carry_out(void* of_task) {
  Block& block = *static_cast<Block*>(of_task);
  std::unique_ptr<openmp::Task> task(block.task);
  begin(*task, threads::Before::sleeping);
  if (block.is_of_loop) std::memcpy(data_of(block), block.words, 2 * sizeof(void*));
  block.work(data_of(block));
  end(std::move(task));
}

std::size_t round_up(std::size_t size, std::size_t unit) { return (size + unit - 1) / unit * unit; }

/// Room for a block and the program's data behind it.
class Room {
 public:
  Room(std::size_t size, std::size_t align) : align_{align} {
    block_ = static_cast<std::byte*>(operator new(size, align_));
  }
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;
  ~Room() { operator delete(block_, align_); }
  operator void*() const { return block_; }

 private:
  std::align_val_t align_;
  std::byte* block_;
};

/// The library doesn't cancel a task any more whose data it hasn't copied itself.
/// @param start  (work, block, copy, its size, its alignment): the library's own
template <class Start>
void make(Block block, long size, long align, Start&& start) {
  const std::size_t unit = std::max<std::size_t>(static_cast<std::size_t>(align), alignof(Block));
  block.size = static_cast<std::size_t>(size);
  block.offset = round_up(sizeof(Block), unit);
  const std::size_t whole = block.offset + block.size;
  if (block.copy != nullptr || block.is_of_loop) {
    start(carry_out, &block, copy_block, static_cast<long>(whole), static_cast<long>(unit));
    return;
  }
  const Room room(whole, unit);
  Block& made = *new (room) Block(block);
  if (made.size > 0) std::memcpy(data_of(made), made.data, made.size);
  make_task_of(made);
  start(carry_out, &made, nullptr, static_cast<long>(whole), static_cast<long>(unit));
}

template <class Start>
void make_loop(Block block, long size, long align, unsigned flags, Start&& start) {
  std::memcpy(block.words, block.data, std::min<std::size_t>(size, sizeof block.words));
  block.is_of_loop = true;
  if ((flags & without_group) != 0) return make(block, size, align, start);
  begin_group();
  begin_to_wait(carried()->group.get());
  make(block, size, align, start);
  end_group();
}

/// @param wait  (): the library's own
template <class Wait>
void wait_for_children(Wait&& wait) {
  const TaskSetPtr children = carried()->children;
  begin_to_wait(children.get());
  wait();
  end_to_wait(children.get());
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
  if ((flags & depends_on_others) != 0) all = dependences_in(depends);
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
  wait_for_children([] { real(); });
}
void GOMP_taskwait_depend(void** depends) {
  REAL(GOMP_taskwait_depend);
  wait_for_children([&] { real(depends); });
}

void GOMP_taskgroup_start(void) {
  REAL(GOMP_taskgroup_start);
  if (has_team()) begin_group();
  real();
}
void GOMP_taskgroup_end(void) {
  REAL(GOMP_taskgroup_end);
  begin_to_wait(carried()->group.get());
  real();
  end_group();
}

}  // extern "C"

#undef REAL
