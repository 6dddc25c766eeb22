#include "following/threads.hpp"

#include <dlfcn.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <list>
#include <memory>
#include <new>
#include <unordered_map>
#include <utility>

#include "program/mpi_code.hpp"
#include "system/c_library.hpp"
#include "system/futex_lock.hpp"
#include "threads/thread_events.hpp"

namespace commgauge::record::following {

using preload::ThreadEvent;
using What = ThreadEvent::What;

namespace {

/// What has happened to an object that threads wait for.
struct Released {
  std::uint32_t number{};  ///< of the object, from 1; of one that was there before it is another
  std::uint32_t count{};
};

}  // namespace

/// One thread of the program, between its beginning and its end, whether MPI runs or not.
struct Thread {
  int number{};
  pthread_t name{};
  clockid_t cpu_clock{};
  bool runs{};
  Own own;
  const void* object{};      ///< that it waits for
  std::uint64_t waits_as{};  ///< number of that waiting
  Released woken_by{};       ///< as it was when that one let it go on; `number` 0: none
};

namespace {

struct Threads {
  preload::FutexLock lock;
  std::list<Thread> all;
  int begun{};
  std::uint64_t waits{};
  std::unordered_map<const void*, Released> released;
  std::uint32_t objects{};  ///< so many have been numbered
  preload::MpiCode mpi_code;
  preload::TellThreadEvent* recorder{};  ///< nullptr: nothing is recorded yet
};
/// There are threads until the process ends.
Threads& process() {
  static auto* const only = new Threads;
  return *only;
}

[[gnu::tls_model("initial-exec")]] thread_local Thread* self = nullptr;
/// How often this thread has come in and not gone out.
[[gnu::tls_model("initial-exec")]] thread_local int depth = 0;
[[gnu::tls_model("initial-exec")]] thread_local Called called;
/// Whether the recorder works: what it calls itself isn't the program's.
[[gnu::tls_model("initial-exec")]] thread_local bool tells = false;

bool is_main_thread() { return preload::system_call(SYS_gettid) == getpid(); }

std::int64_t read_clock(clockid_t clock) {
  timespec now{};
  preload::system_call(SYS_clock_gettime, clock, &now);
  return std::int64_t{1'000'000'000} * now.tv_sec + now.tv_nsec;
}

void tell(ThreadEvent event) {
  if (process().recorder == nullptr || self == nullptr) return;
  event.thread = self->number;
  event.call = called.name;
  event.from = called.from;
  tells = true;
  process().recorder(event);
  tells = false;
}
void tell(What what, std::uint32_t number = 0, std::uint64_t count = 0) {
  tell({.what = what, .number = number, .count = count});
}

/// The calling thread is that one.
void become(Thread& thread) {
  self = &thread;
  thread.name = pthread_self();
  pthread_getcpuclockid(pthread_self(), &thread.cpu_clock);
  thread.runs = true;
}

/// The calling thread's. The main thread is number 0, wherever it is seen first. @pre locked
Thread& own_entry() {
  Threads& p = process();
  if (self == nullptr) {
    Thread& added = p.all.emplace_back();
    added.number = is_main_thread() ? 0 : ++p.begun;
    become(added);
  }
  return *self;
}

void leave_program() {
  const Inside here(Lock::always);
  called = {"pthread_exit", nullptr};
  const void* const joined = reinterpret_cast<const void*>(pthread_self());
  release(self->own, joined);
  wake(self->own, joined, Wakes::all);
  tell(What::leave);
  tell(What::end);
  const Thread* const ended = std::exchange(self, nullptr);
  process().all.remove_if([&](const Thread& one) { return &one == ended; });
}

}  // namespace

double Own::clock() {
  if (asked_at_ == 0) asked_at_ = 1e-9 * static_cast<double>(read_clock(CLOCK_MONOTONIC));
  return asked_at_;
}

Inside::Inside(Lock) {
  if (depth++ == 0) process().lock.lock();
}
Inside::~Inside() {
  if (--depth == 0) process().lock.unlock();
}

/// Where it goes on after it has waited it has been told by whom it was let.
Following::Following(const Called& call, Before before) {
  if (tells || process().recorder == nullptr || !is_of_program(call.from)) return;
  if (process().mpi_code.is_of_openmp(call.from)) return;  // it says so itself
  if (depth++ == 0) process().lock.lock();
  Thread& thread = own_entry();
  own_ = &thread.own;
  called = call;
  if (before == Before::computing) {
    own_->asked_at_ = 0;
    return;
  }
  tell(What::resume);
  thread.object = nullptr;
  const Released by = std::exchange(thread.woken_by, {});
  if (by.number != 0) tell(What::acquire, by.number, by.count);
}

Following::~Following() {
  if (own_ == nullptr) return;
  if (self->object == nullptr) tell(What::leave);
  if (--depth == 0) process().lock.unlock();
}

/// While MPI starts, more and more of it is loaded.
bool is_of_program(const void* from) {
  const auto is_it = [from] {
    return !process().mpi_code.has(from) && (self != nullptr || is_main_thread());
  };
  if (process().recorder != nullptr) return is_it();
  const Inside here(Lock::always);
  process().mpi_code.find();
  return is_it();
}

bool runs(pthread_t thread) {
  const Inside here(Lock::always);
  return std::ranges::any_of(process().all, [&](const Thread& one) {
    return one.runs && pthread_equal(one.name, thread) != 0;
  });
}

void sleep_on(Own&, const void* object, const void*) {
  tell(What::enter);
  self->object = object;
  self->waits_as = ++process().waits;
}

void stop_computing(Own&) {
  static constexpr char nobody = 0;
  tell(What::enter);
  if (self->object == nullptr) self->object = &nobody;
}

void wake(Own&, const void* object, Wakes which) {
  const auto found = process().released.find(object);
  if (found == process().released.end()) return;
  Thread* first = nullptr;
  for (Thread& one : process().all) {
    // One that was woken before and hasn't gone on yet isn't woken again.
    if (one.object != object || one.woken_by.number != 0) continue;
    if (which == Wakes::all) one.woken_by = found->second;
    if (first == nullptr || one.waits_as < first->waits_as) first = &one;
  }
  if (which == Wakes::first && first != nullptr) first->woken_by = found->second;
}

void give_up_at(Own& own, double time) {
  const double left = time - own.clock();
  if (left > 0) tell(What::sleep, 0, static_cast<std::uint64_t>(std::llround(left * 1e9)));
}

void release(const Own&, const void* object) {
  Released& what = process().released[object];
  if (what.number == 0) what.number = ++process().objects;
  ++what.count;
  tell(What::release, what.number);
}

void acquire(Own&, const void* object) {
  const auto& released = process().released;
  if (const auto found = released.find(object); found != released.end()) {
    tell(What::acquire, found->second.number, found->second.count);
  }
}

void forget(const void* object) { process().released.erase(object); }

void expect(const void* object) {
  const auto waits = [&](const Thread& one) { return one.object == object; };
  if (std::ranges::none_of(process().all, waits)) forget(object);
  self->object = object;
}

Start::Start(void* (*work)(void*), void* argument) : work_{work}, argument_{argument} {
  Threads& p = process();
  (void)own_entry();
  thread_ = &p.all.emplace_back();
  thread_->number = ++p.begun;
}

void Start::is_called(pthread_t name) {
  tell(What::start, static_cast<std::uint32_t>(thread_->number));
  thread_->name = name;
  // An ended thread may have had the same name.
  forget(reinterpret_cast<const void*>(name));
}

void Start::give_up() {
  process().all.remove_if([&](const Thread& one) { return &one == thread_; });
}

void* Start::run(void* start) {
  const std::unique_ptr<Start> own(static_cast<Start*>(start));
  struct Living {
    explicit Living(Thread& thread) {
      const Inside here(Lock::always);
      become(thread);
      tell(What::begin);
    }
    ~Living() { leave_program(); }
  };
  const Living here(*own->thread_);
  return own->work_(own->argument_);
}

}  // namespace commgauge::record::following

using namespace commgauge::record::following;

extern "C" {

int commgauge_thread_number() {
  if (self != nullptr) return self->number;
  const Inside here(Lock::always);
  return own_entry().number;
}

/// Its stream goes on behind this thread's, with what this one uses of its processor from now on.
void commgauge_act_as(int first) {
  const Inside here(Lock::always);
  static constexpr char ending = 0;
  called = {"MPI_Session_finalize", nullptr};
  release(own_entry().own, &ending);
  tell(What::leave);
  own_entry().number = first;
  tell(What::resume);
  acquire(own_entry().own, &ending);
  tell(What::leave);
  forget(&ending);
}

/// What they have used of their processors until now was before the recording.
void commgauge_tell_threads() {
  Threads& p = process();
  const Inside here(Lock::always);
  const Thread& own = own_entry();
  p.mpi_code.find();
  p.recorder = reinterpret_cast<commgauge::preload::TellThreadEvent*>(
      dlsym(RTLD_DEFAULT, "commgauge_record_thread_event"));
  if (p.recorder == nullptr) return;
  pthread_atfork(nullptr, nullptr, [] {
    new (&process().lock) commgauge::preload::FutexLock;
    process().recorder = nullptr;
    depth = 0;
  });
  for (const Thread& one : p.all) {
    if (&one == &own || !one.runs) continue;
    p.recorder({.what = What::begin,
                .thread = one.number,
                .has_moment = true,
                .time = read_clock(CLOCK_MONOTONIC),
                .cpu = read_clock(one.cpu_clock)});
  }
}

}  // extern "C"
