#pragma once

#include <pthread.h>

#include <atomic>
#include <functional>
#include <vector>

#include "rank/emulator.hpp"

/// The threads of this process: all that the program starts are known, and while MPI runs each has
/// an Emulator. What the emulation knows of the process is guarded by one lock, which calls of MPI
/// hold from enter() to leave(), but not while they wait.
namespace commgauge::emulate::threads {

/// Of clocks.
inline constexpr bool are_virtual = true;

/// One of them.
struct Thread;
/// Its clock.
using Own = Emulator;

/// @param first    of the calling thread
/// @param follows  whether further threads have clocks, too: whatever level of threads the program
///                 has asked for, they may compute
void begin(Emulator& first, bool follows);
/// From here on they may call MPI as a level (MPI_THREAD_...) allows, if it is higher.
void allow(int level);
/// The calling thread goes on as the one that has started MPI, which has ended or sleeps: with its
/// clock and all that it has started. For the end of MPI.
void act_as_first();
/// From here on none has one. Returns when none is in a call any more.
void end();

inline constinit std::atomic<bool> guarded{};
inline constinit std::atomic<bool> several{};
/// Whether calls take the lock: there may be several threads with clocks.
[[nodiscard]] inline bool are_guarded() { return guarded.load(std::memory_order_relaxed); }
/// Whether it has, or had.
[[nodiscard]] inline bool are_several() { return several.load(std::memory_order_relaxed); }
/// From here on the recorder is told what threads do, at first of those that there are.
void tell_recorder();
/// The calling thread has read a clock other than MPI_Wtime.
void tell_of_clock();
/// Of the calling thread: the same as long as it lives; −1: it isn't known.
[[nodiscard]] int own_number();

/// From here on clocks have to follow what threads do outside of MPI, if they have any.
void are_going_to_be_several();
/// The calling thread's, which is made one of the rank's if it wasn't. nullptr: none is active
[[nodiscard]] Emulator* own();
/// The calling thread's if it is the program's own and runs outside of MPI, else nullptr. To be
/// used with the lock only, and asked for again: MPI may end meanwhile.
[[nodiscard]] Emulator* outside_of_mpi();
/// Whether what the calling thread does from here on is MPI's.
void is_in_mpi(bool is);
/// Whether a call by the calling thread is the program's. @param from  where it was called
[[nodiscard]] bool is_of_program(const void* from = nullptr);
/// Whether the thread is one of the program's and hasn't ended.
[[nodiscard]] bool runs(pthread_t thread);

/// When the lock is taken: if there may be several threads with clocks, or always.
enum class Lock { if_guarded, always };
// Of Emulator::enter() and leave().
void come_in(Lock which = Lock::if_guarded);
void is_awake(Emulator& own);
void go_out();

/// The lock is given back for a while.
class Outside {
 public:
  Outside();
  Outside(const Outside&) = delete;
  Outside& operator=(const Outside&) = delete;
  ~Outside();

 private:
  int depth_;
  bool had_lock_;
};

/// A call of MPI itself that waits for other ranks: their other threads may do something else
/// before.
template <class Work>
auto outside(Work&& work) {
  const Outside meanwhile;
  return work();
}

/// Whether code of the MPI library, or of what it is made of, is there. Its locks aren't the
/// program's.
[[nodiscard]] bool is_of_mpi(const void* place);

/// Comes in and goes out.
class Inside {
 public:
  explicit Inside(Lock which = Lock::if_guarded) { come_in(which); }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  ~Inside() { go_out(); }
};

/// A call of the program's by which threads wait for each other.
struct Called {
  const char* name{};
  const void* from{};  ///< what is MPI's isn't followed
};

/// What a thread did before.
enum class Before { computing, sleeping };

/// Between enter() and leave() of the calling thread, where its clock has to follow what it does
/// outside of MPI; else nothing.
class Following {
 public:
  explicit Following(const Called& call, Before before = Before::computing);
  Following(const Following&) = delete;
  Following& operator=(const Following&) = delete;
  ~Following();
  explicit operator bool() const { return own_ != nullptr; }
  Emulator& operator*() const { return *own_; }
  Emulator* operator->() const { return own_; }

 private:
  Emulator* own_;
};

/// Whether threads have been found asleep before, and may be still.
[[nodiscard]] bool were_seen_asleep();
/// Finds out which threads that seem to run sleep in the system, for reasons that the emulation
/// doesn't know. If none is left that could wake one, they don't count as running any more.
void look();

// Within enter() and leave(), for calls that wait for other threads of the process.

/// The calling thread is going to sleep until wake() is called for that object.
/// @param held  that it lets go once it sleeps (a condition variable's mutex)
void sleep_on(Emulator& own, const void* object, const void* held = nullptr);
/// What the calling thread does until it comes in from sleep isn't computing, though nobody has to
/// wake it: its clock stands still anyway.
inline void stop_computing(Emulator&) {}
/// Whether a thread that sleeps may be about to let the object go: then nobody will say so.
[[nodiscard]] bool may_be_let_go(const void* object);
/// Lets those that sleep on an object go on, from this thread's clock on: the first, or all.
enum class Wakes { first, all };
void wake(Emulator& own, const void* object, Wakes which);
/// Lets another thread go on, from this one's clock on, if it sleeps.
void wake(Emulator& own, Emulator& other);
/// Another thread does nothing until it is woken, whether it is asleep already or waits in a
/// library.
void let_sleep(Emulator& other, const void* object);
/// The same, where it waits in a library which has let it go on.
void let_go_on(Emulator& own, Emulator& other);
/// The calling thread waits in a library, which has it carry out tasks of the program meanwhile.
/// @param unbegun  how many there are; nullptr: it waits no longer
void wait_for_tasks(Emulator& own, const std::atomic<int>* unbegun);
/// Another thread does so no longer, if it hasn't ended.
void wait_no_longer(const Emulator* other);
/// Nobody has let it go on by a time, which has come.
void give_up_at(Emulator& own, double time);
/// Notes what has happened before an object is taken by another, and moves a thread that takes it
/// on to there.
void release(const Emulator& own, const void* object);
void acquire(Emulator& own, const void* object);
void forget(const void* object);
/// The calling thread is going to wait for what happens to an object from here on. What has
/// happened to it is forgotten, unless others wait for it already.
void expect(const void* object);

/// Takes a core of the rank for computing. @param cores  that it has. @param needs  [s]
/// @return when the first of them is free for so long, from a time on [s]
[[nodiscard]] double core(int cores, double from, double needs);

/// A thread that the program starts. Up to run() @pre locked
class Start {
 public:
  Start(void* (*work)(void*), void* argument);
  /// It has started.
  void is_called(pthread_t name);
  /// It could not be started.
  void give_up();
  static void* run(void* start);

 private:
  void* (*work_)(void*);
  void* argument_;
  Thread* thread_;
};

/// What all further threads did, those that have ended included.
struct Sum {
  int count{};
  Shares shares;
  FileTraffic files;
  double lost{};
  double computed{};
  simulate::TakenInTurn in_turn;
};
[[nodiscard]] Sum sum();
/// Whether any has collective operations under way.
[[nodiscard]] bool have_collectives();
/// Calls see(number of a further thread, its trace).
void for_each_trace(const std::function<void(int, const std::vector<TraceEvent>&)>& see);

}  // namespace commgauge::emulate::threads
