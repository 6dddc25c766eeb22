// Which threads the program has, which of them sleep, and what one knows of another's time.

#include "rank/threads.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/own_memory.hpp"
#include "base/real_time.hpp"
#include "base/system_waiting.hpp"
#include "commgauge/simulate/process/cores.hpp"
#include "program/mpi_code.hpp"
#include "rank/fail.hpp"
#include "shared/shared_memory.hpp"
#include "system/c_library.hpp"
#include "threads/thread_events.hpp"

namespace commgauge::emulate::threads {

namespace {

/// What has happened to an object that threads wait for.
struct Released {
  double latest{};  ///< [s]
  std::uint32_t
      number{};  ///< of the object, from 1; another than that of one that was there before
  std::uint32_t count{};
};
using Objects = std::unordered_map<const void*, Released, std::hash<const void*>, std::equal_to<>,
                                   OwnMemory<std::pair<const void* const, Released>>>;

}  // namespace

/// One thread of the program, between its beginning and its end, whether MPI runs or not.
struct Thread {
  std::unique_ptr<Emulator> further;  ///< of the first thread it is the session's
  std::atomic<Emulator*> emulator{};  ///< nullptr: MPI doesn't run, or knows one thread
  int number{};
  pthread_t name{};
  pid_t tid{};  ///< 0: it hasn't begun to run
  clockid_t cpu_clock{};
  std::atomic<bool> is_outside{};   ///< of MPI; before it asks for the lock it is not
  bool is_blocked{};                ///< in a call of MPI
  const void* object{};             ///< that it sleeps on, in the program
  const void* held{};               ///< that it lets go when it does
  std::uint64_t slept_as{};         ///< number of that sleep
  Released woken_by{};              ///< as it was when that one let it go on; `number` 0: none
  const std::atomic<int>* tasks{};  ///< that it waits for in a library, to carry them out
  bool was_asleep{};                ///< look() has found it so
  double seen_cpu{-1};              ///< at the last look, in a sleep; −1: it ran
  double left_with_cpu{};           ///< when it left MPI
};

namespace {

struct Threads {
  SharedLock lock;
  Emulator* first{};
  int number_of_first{};
  int level{MPI_THREAD_SINGLE};
  std::list<Thread> all;
  int begun{};
  std::uint64_t sleeps{};
  Objects released;
  std::uint32_t objects{};               ///< so many have been numbered
  preload::TellThreadEvent* recorder{};  ///< nullptr: nothing is recorded
  preload::MpiCode mpi_code;
  std::optional<simulate::Cores> cores;
  Sum ended;
  std::vector<std::pair<int, std::vector<TraceEvent>>> traces;  ///< of those that have ended
};
/// There are threads until the process ends.
Threads& process() {
  static auto* const only = new Threads;
  return *only;
}

[[gnu::tls_model("initial-exec")]] thread_local Thread* self = nullptr;
/// How often this thread has come in and not gone out: a callback of MPI's may come in again.
[[gnu::tls_model("initial-exec")]] thread_local int depth = 0;
[[gnu::tls_model("initial-exec")]] thread_local bool has_lock = false;
/// Whether what this thread does is MPI's.
[[gnu::tls_model("initial-exec")]] thread_local bool in_mpi = false;
/// What it calls, of what is followed.
[[gnu::tls_model("initial-exec")]] thread_local Called called;

void take_lock() {
  process().lock.lock();
  has_lock = true;
}
void give_lock() {
  has_lock = false;
  process().lock.unlock();
}

World& world() { return process().first->world(); }

using What = preload::ThreadEvent::What;

/// Whether it waits for tasks, and there are none.
bool waits_for_tasks(const Thread& thread) {
  const std::atomic<int>* const tasks = thread.tasks;
  return tasks != nullptr && *tasks <= 0;
}

/// Tells the recorder, if there is one, what a thread does at its clock.
void tell(What what, const Thread& thread, std::uint32_t number = 0, std::uint64_t count = 0) {
  if (process().recorder == nullptr || thread.emulator == nullptr) return;
  const Emulator& own = *thread.emulator.load();
  process().recorder({what, thread.number, number, count, called.name, called.from, true,
                      nanoseconds(own.clock()), nanoseconds(own.computed())});
}
void tell(What what, std::uint32_t number = 0, std::uint64_t count = 0) {
  if (self != nullptr) tell(what, *self, number, count);
}

double cpu_of(const Thread& thread) {
  timespec used{};
  preload::system_call(SYS_clock_gettime, thread.cpu_clock, &used);
  return seconds_of(used);
}

bool is_main_thread() { return preload::system_call(SYS_gettid) == getpid(); }

/// The calling thread is that one.
void become(Thread& thread) {
  self = &thread;
  thread.name = pthread_self();
  thread.tid = static_cast<pid_t>(preload::system_call(SYS_gettid));
  pthread_getcpuclockid(pthread_self(), &thread.cpu_clock);
  thread.is_outside = true;
}

/// From here on it has a clock, which begins where another's is. @pre locked
void give_clock(Thread& thread, const Emulator& parent) {
  Threads& p = process();
  int actor = 0;
  try {
    const std::lock_guard lock(world());
    actor = world().begin(parent.rank(), parent.clock());
  } catch (const InputError& error) {
    fail(ExitCode::bad_input, error.what());
  }
  thread.further = std::make_unique<Emulator>(*p.first, actor, parent);
  thread.emulator = thread.further.get();
  thread.number = p.begun++;
  tell(What::begin, thread);
  if (thread.tid != 0) {
    thread.left_with_cpu = cpu_of(thread);
    thread.further->forget_computing(thread.left_with_cpu);
  }
  several = true;
}

/// Gives one to those that the program has started before. @pre locked
void give_clocks() {
  Threads& p = process();
  for (Thread& one : p.all) {
    if (one.emulator == nullptr) give_clock(one, *p.first);
  }
}

/// The calling thread's. @pre locked
Thread& own_entry() {
  Threads& p = process();
  if (self == nullptr) {
    become(p.all.emplace_back());
    if (are_guarded()) give_clock(*self, *p.first);
  }
  return *self;
}

void add_to(Sum& sum, const Emulator& emulator) {
  ++sum.count;
  sum.shares += emulator.shares();
  sum.files.read += emulator.file_traffic().read;
  sum.files.written += emulator.file_traffic().written;
  sum.lost += emulator.use().lost;
  sum.computed += emulator.computed();
  sum.in_turn += emulator.in_turn();
}

/// @pre locked
void remove(Thread& thread) {
  Threads& p = process();
  if (thread.further) {
    Emulator& own = *thread.further;
    tell(What::end, thread);
    own.end(*p.first);
    add_to(p.ended, own);
    p.traces.emplace_back(thread.number, own.trace());
    const std::lock_guard lock(world());
    world().end(own.actor());
  } else if (thread.emulator != nullptr) {
    // MPI's end is another's: act_as_first().
    const std::lock_guard lock(world());
    world().sleep_thread(p.first->actor(), false);
  }
  p.all.remove_if([&](const Thread& one) { return &one == &thread; });
}

/// The calling thread ends. Those that wait to join it go on.
void leave_program() {
  if (self == nullptr) return;
  // All at once: who joins it holds the lock until it is gone.
  const Inside here(Lock::always);
  if (Emulator* const own = self->emulator; own != nullptr) {
    own->enter(nullptr);
    called = {"pthread_exit", nullptr};
    const void* const joined = reinterpret_cast<const void*>(pthread_self());
    release(*own, joined);
    wake(*own, joined, Wakes::all);
    tell(What::leave);
    own->leave();
  }
  remove(*std::exchange(self, nullptr));
}

/// For threads whose beginning wasn't seen.
struct Ending {
  bool is_needed{};
  ~Ending() {
    if (is_needed) leave_program();
  }
};
thread_local Ending ending;

}  // namespace

bool is_of_mpi(const void* place) { return process().mpi_code.has(place); }

void begin(Emulator& first, bool follows) {
  Threads& p = process();
  {
    const Inside here(Lock::always);
    p.mpi_code.find();
    p.first = &first;
    own_entry().emulator = &first;
    self->number = p.number_of_first = p.begun++;
    if (follows) {
      give_clocks();
      guarded = true;
    }
  }
  come_in();
}

void allow(int level) { process().level = std::max(process().level, level); }

void act_as_first() {
  Threads& p = process();
  const Inside here(Lock::always);
  Emulator* const own = threads::own();
  if (own == nullptr || own == p.first) return;
  static constexpr char ending = 0;
  own->enter(nullptr);
  called = {"MPI_Session_finalize", nullptr};
  release(*own, &ending);
  tell(What::leave);
  own->leave();
  {
    const std::lock_guard lock(world());
    world().wake_thread(p.first->actor(), own->clock());
    world().sleep_thread(own->actor(), false);
  }
  self->emulator = p.first;
  self->number = p.number_of_first;
  LiveWorld::act_as(p.first->actor());
  p.first->forget_computing();
  acquire(*p.first, &ending);
  tell(What::leave);
  forget(&ending);
}

void end() {
  Threads& p = process();
  const Inside here(Lock::always);
  // One may sleep in virtual time.
  while (std::ranges::any_of(p.all, &Thread::is_blocked)) {
    give_lock();
    sleep_until(real_time() + 1e-3);
    take_lock();
  }
  for (Thread& one : p.all) {
    one.emulator = nullptr;
    one.object = one.held = nullptr;
    one.was_asleep = false;
    if (!one.further) continue;
    const std::lock_guard lock(world());
    world().end(one.further->actor());
    one.further.reset();
  }
  several = guarded = false;
  p.first = nullptr;
  p.level = MPI_THREAD_SINGLE;
  p.recorder = nullptr;
  in_mpi = false;
}

void tell_recorder() {
  Threads& p = process();
  const Inside here(Lock::always);
  p.recorder = reinterpret_cast<preload::TellThreadEvent*>(
      dlsym(RTLD_DEFAULT, "commgauge_record_thread_event"));
  // Of what has happened before no trace is told.
  for (auto& [object, what] : p.released) what.number = what.count = 0;
  for (Thread& one : p.all) one.woken_by = {};
  for (const Thread& one : p.all) {
    if (one.further) tell(What::begin, one);
  }
}

void tell_of_clock() { tell(What::clock); }

int own_number() { return self != nullptr ? self->number : -1; }

void are_going_to_be_several() {
  if (are_guarded()) several = true;
}

Emulator* own() {
  if (self != nullptr && self->emulator != nullptr) return self->emulator;
  if (!are_guarded()) return process().first;
  const Inside here;
  ending.is_needed = true;
  return own_entry().emulator;
}

Emulator* outside_of_mpi() { return self == nullptr || in_mpi ? nullptr : self->emulator.load(); }

void is_in_mpi(bool is) { in_mpi = is; }

bool is_of_program(const void* from) {
  if (in_mpi || (are_guarded() && is_of_mpi(from))) return false;
  return self != nullptr || is_main_thread();
}

bool runs(pthread_t thread) {
  const Inside here(Lock::always);
  return std::ranges::any_of(process().all, [&](const Thread& one) {
    return one.name != 0 && pthread_equal(one.name, thread) != 0;
  });
}

void come_in(Lock which) {
  if (depth++ > 0) return;
  if (self != nullptr) self->is_outside = false;
  if (are_guarded() || which == Lock::always) take_lock();
  if (self != nullptr && self->emulator != nullptr) {
    LiveWorld::act_as(self->emulator.load()->actor());
  }
}

namespace {

/// Whether nobody else says what is waited for there.
bool is_followed(const void* from) {
  return !is_of_mpi(from) && !process().mpi_code.is_of_openmp(from);
}

}  // namespace

Following::Following(const Called& call, Before before)
    : own_{are_several() && is_followed(call.from) ? outside_of_mpi() : nullptr} {
  if (own_ == nullptr) return;
  come_in();
  // MPI may have ended meanwhile.
  own_ = self->emulator;
  if (own_ == nullptr) {
    go_out();
    return;
  }
  called = call;
  if (before == Before::sleeping) {
    own_->enter_from_sleep();
  } else {
    own_->enter(nullptr);
  }
}

Following::~Following() {
  if (own_ == nullptr) return;
  if (self->object == nullptr) tell(What::leave);
  own_->leave();
  go_out();
}

void is_awake(Emulator& own) {
  if (!are_several() || self == nullptr) return;
  self->held = nullptr;
  const bool knew = std::exchange(self->object, nullptr) != nullptr;
  const bool was_asleep = std::exchange(self->was_asleep, false);
  const Released woken_by = std::exchange(self->woken_by, {});
  if (!knew && !was_asleep) return;
  World& w = world();
  const std::lock_guard lock(w);
  w.wake_thread(own.actor(), own.clock());
  if (was_asleep && self->tasks == nullptr) {
    // Whoever has woken it: no later than this.
    double latest = own.clock();
    for (const Thread& other : process().all) {
      if (other.object == nullptr) latest = std::max(latest, other.emulator.load()->clock());
    }
    if (latest > own.clock()) tell(What::guess);
    own.go_on_from(latest);
  } else {
    own.go_on_from(w.published(own.actor()));
    if (woken_by.number != 0) tell(What::acquire, woken_by.number, woken_by.count);
  }
}

void go_out() {
  if (--depth > 0) return;
  if (self != nullptr) {
    const Emulator* const own = self->emulator;
    if (are_several() && own != nullptr && !own->measures_computing()) {
      self->left_with_cpu = cpu_of(*self);
    }
    self->is_outside = true;
  }
  if (has_lock) give_lock();
}

Outside::Outside() : depth_{std::exchange(depth, 0)}, had_lock_{has_lock} {
  if (!had_lock_) return;
  self->is_blocked = true;
  give_lock();
}

Outside::~Outside() {
  depth = depth_;
  if (!had_lock_) return;
  take_lock();
  self->is_blocked = false;
}

bool were_seen_asleep() {
  const auto may_doze = [](const Thread& one) {
    return (one.seen_cpu >= 0 && one.object == nullptr) || waits_for_tasks(one);
  };
  return std::ranges::any_of(process().all, may_doze);
}

namespace {

/// Whether it sleeps in the system, elsewhere than where it asks for the lock.
bool is_asleep(const Thread& thread) {
  // One that may call MPI afterwards comes to that by itself where the wait has an end in time.
  const Waits which = process().level < MPI_THREAD_SERIALIZED ? Waits::all : Waits::endless;
  return waits_for_another(thread.tid, which) && thread.is_outside;
}

/// Whether it was asleep in the system at the last look and is so since. @param cpu  that it has
/// used
bool has_slept_on(Thread& thread, double& cpu) {
  const bool sleeps = is_asleep(thread);
  // Only now: one that has gone on since then, to sleep elsewhere, has used some.
  cpu = cpu_of(thread);
  const double before = std::exchange(thread.seen_cpu, sleeps ? cpu : -1);
  return sleeps && before == cpu;
}

/// Whether it has done nothing since the last look. One that does nothing but compute, where
/// computing costs nothing, for long, waits for another in a loop.
bool is_idle(Thread& thread) {
  constexpr double long_enough = 0.5;  // [s]
  if (waits_for_tasks(thread)) return true;
  if (thread.tid == 0) return false;
  double cpu = 0;
  const Emulator& own = *thread.emulator.load();
  if (has_slept_on(thread, cpu)) return true;
  if (thread.seen_cpu >= 0 || !thread.is_outside || world().sleeps(own.actor())) return false;
  if (!own.measures_computing()) return cpu - thread.left_with_cpu > long_enough;
  world().publish(own.actor(), own.clock_at(cpu));
  return false;
}

}  // namespace

/// Each was asleep from the look before to this one, so at the latest of those all were at once.
void look() {
  World& w = world();
  const std::lock_guard lock(w);
  std::vector<Thread*> idle;
  bool all = true;
  for (Thread& one : process().all) {
    const int actor = one.emulator.load()->actor();
    // One that sleeps as far as is known may have been woken where that isn't seen.
    const bool is_known = w.is_blocked(actor);
    if (is_known && !w.sleeps(actor)) continue;
    if (one.is_blocked || !is_idle(one)) {
      all = false;
      if (one.was_asleep) w.wake_thread(actor, one.emulator.load()->clock());
    } else if (!is_known) {
      idle.push_back(&one);
    }
  }
  if (all) {
    for (Thread* const one : idle) {
      one->was_asleep = true;
      w.sleep_thread(one->emulator.load()->actor(), true);
    }
  }
  w.driver().changed(w);
}

namespace {

/// Lets those run that were found asleep and are awake. @return whether there are any
bool wake_those_awake() {
  bool any = false;
  for (const Thread& one : process().all) {
    const int actor = one.emulator.load()->actor();
    const bool is_idle = waits_for_tasks(one) || is_asleep(one);
    if (!one.was_asleep || !world().sleeps(actor) || is_idle) continue;
    world().wake_thread(actor, one.emulator.load()->clock());
    any = true;
  }
  return any;
}

}  // namespace

bool may_be_let_go(const void* object) {
  return std::ranges::any_of(process().all, [&](const Thread& one) { return one.held == object; });
}

void sleep_on(Emulator& own, const void* object, const void* held) {
  tell(What::enter);
  self->object = object;
  self->held = held;
  self->slept_as = ++process().sleeps;
  const std::lock_guard lock(world());
  world().sleep_thread(own.actor(), false);
  // A program may end by waking its threads when MPI has ended.
  if (process().first->has_finished()) return;
  if (!world().nobody_can_go_on() || wake_those_awake()) return;
  if (world().anybody_dozes()) {
    own.live().let_all_ask();
    return;
  }
  fail(ExitCode::deadlock, DeadlockError(world()).what());
}

void wake(Emulator& own, const void* object, Wakes which) {
  Thread* first = nullptr;
  const auto found = process().released.find(object);
  const auto let_go_on = [&](Thread& one) {
    world().wake_thread(one.emulator.load()->actor(), own.clock());
    if (found != process().released.end()) one.woken_by = found->second;
  };
  const std::lock_guard lock(world());
  for (Thread& one : process().all) {
    // One that was woken before and hasn't gone on yet isn't woken again.
    if (one.object != object || !world().sleeps(one.emulator.load()->actor())) continue;
    if (which == Wakes::all) let_go_on(one);
    if (first == nullptr || one.slept_as < first->slept_as) first = &one;
  }
  if (which == Wakes::first && first != nullptr) let_go_on(*first);
}

void wake(Emulator& own, Emulator& other) {
  const std::lock_guard lock(world());
  world().wake_thread(other.actor(), own.clock());
}

namespace {

/// nullptr: it has ended.
Thread* thread_of(const Emulator* own) {
  auto& all = process().all;
  const auto found =
      std::ranges::find_if(all, [&](const auto& one) { return one.emulator == own; });
  return found != all.end() ? &*found : nullptr;
}

}  // namespace

void let_go_on(Emulator& own, Emulator& other) {
  Thread* const thread = thread_of(&other);
  if (thread == nullptr) return;
  thread->tasks = nullptr;
  thread->was_asleep = false;
  wake(own, other);
}

void wait_no_longer(const Emulator* other) {
  if (Thread* const thread = thread_of(other); thread != nullptr) thread->tasks = nullptr;
}

void let_sleep(Emulator& other, const void* object) {
  Thread* const thread = thread_of(&other);
  if (thread == nullptr) return;
  thread->object = object;
  thread->held = nullptr;
  thread->tasks = nullptr;
  World& w = world();
  const std::lock_guard lock(w);
  if (w.sleeps(other.actor()) && !thread->was_asleep) return;
  thread->was_asleep = false;
  w.wake_thread(other.actor(), other.clock());
  w.sleep_thread(other.actor(), false);
}

void wait_for_tasks(Emulator&, const std::atomic<int>* unbegun) { self->tasks = unbegun; }

/// To the nanosecond, as the program has said it: a replay comes to the same time.
void give_up_at(Emulator& own, double time) {
  const std::int64_t left = nanoseconds(std::max(0.0, time - own.clock()));
  own.go_on_from(own.clock() + static_cast<double>(left) * 1e-9);
  if (left > 0) tell(What::sleep, 0, static_cast<std::uint64_t>(left));
}

void release(const Emulator& own, const void* object) {
  Released& what = process().released[object];
  if (what.number == 0) what.number = ++process().objects;
  what.latest = std::max(what.latest, own.clock());
  ++what.count;
  tell(What::release, what.number);
}

void acquire(Emulator& own, const void* object) {
  const auto& released = process().released;
  if (const auto found = released.find(object); found != released.end()) {
    own.go_on_from(found->second.latest);
    if (found->second.count > 0) tell(What::acquire, found->second.number, found->second.count);
  }
}

void forget(const void* object) { process().released.erase(object); }

void expect(const void* object) {
  const auto waits = [&](const Thread& one) { return one.object == object; };
  if (std::ranges::none_of(process().all, waits)) forget(object);
  self->object = object;
}

namespace {

/// No thread computes before this any more.
double least_clock() {
  double least = process().first->clock();
  for (const Thread& one : process().all) least = std::min(least, one.emulator.load()->clock());
  return least;
}

}  // namespace

double core(int cores, double from, double needs) {
  auto& all = process().cores;
  if (!all) all.emplace(cores);
  return all->take(from, needs, least_clock);
}

Start::Start(void* (*work)(void*), void* argument) : work_{work}, argument_{argument} {
  Thread& parent = own_entry();
  thread_ = &process().all.emplace_back();
  if (!are_guarded()) return;
  give_clock(*thread_, *parent.emulator);
  tell(What::start, parent, static_cast<std::uint32_t>(thread_->number));
}

void Start::is_called(pthread_t name) {
  thread_->name = name;
  // An ended thread may have had the same name.
  forget(reinterpret_cast<const void*>(name));
}

void Start::give_up() { remove(*thread_); }

void* Start::run(void* start) {
  const std::unique_ptr<Start> own(static_cast<Start*>(start));
  struct Living {
    explicit Living(Thread& thread) {
      const Inside here(Lock::always);
      become(thread);
      if (thread.further) thread.further->forget_computing();
    }
    ~Living() { leave_program(); }
  };
  const Living here(*own->thread_);
  return own->work_(own->argument_);
}

Sum sum() {
  Sum all = process().ended;
  for (const Thread& one : process().all) {
    if (one.further) add_to(all, *one.further);
  }
  return all;
}

bool have_collectives() {
  return std::ranges::any_of(process().all, [](const Thread& one) {
    return one.emulator != nullptr && one.emulator.load()->has_collectives();
  });
}

void for_each_trace(const std::function<void(int, const std::vector<TraceEvent>&)>& see) {
  for (const auto& [number, events] : process().traces) see(number, events);
  for (const Thread& one : process().all) {
    if (one.further) see(one.number, one.further->trace());
  }
}

}  // namespace commgauge::emulate::threads
