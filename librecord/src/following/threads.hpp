#pragma once

#include <pthread.h>

#include <atomic>

/// The threads of a program that is recorded, and how they wait for each other: the recorder is
/// told. One lock guards what is known of them, but no waiting.
namespace commgauge::record::following {

/// Of clocks.
inline constexpr bool are_virtual = false;

struct Thread;

/// What a thread calls.
class Own {
 public:
  /// When the call first asked for it [s].
  [[nodiscard]] double clock();

 private:
  friend class Following;
  double asked_at_{};  ///< 0: it hasn't
};

struct Called {
  const char* name{};
  const void* from{};  ///< what is MPI's isn't followed
};

/// What a thread did before.
enum class Before { computing, sleeping };

enum class Lock { always };
/// Comes in and goes out; again and again, one within another.
class Inside {
 public:
  explicit Inside(Lock which);
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  ~Inside();
};

/// A call of the program's, while it holds the lock; else nothing.
class Following {
 public:
  explicit Following(const Called& call, Before before = Before::computing);
  Following(const Following&) = delete;
  Following& operator=(const Following&) = delete;
  ~Following();
  explicit operator bool() const { return own_ != nullptr; }
  Own& operator*() const { return *own_; }
  Own* operator->() const { return own_; }

 private:
  Own* own_{};
};

/// Whether a call by the calling thread is the program's. @param from  where it was called
[[nodiscard]] bool is_of_program(const void* from);
/// Whether the thread is one of the program's and hasn't ended.
[[nodiscard]] bool runs(pthread_t thread);
/// All that there are are followed anyway.
inline void are_going_to_be_several() {}

// As of libemulate/src/rank/threads.hpp, without clocks:
void sleep_on(Own& own, const void* object, const void* held = nullptr);
void stop_computing(Own& own);
[[nodiscard]] inline bool may_be_let_go(const void*) { return false; }
enum class Wakes { first, all };
void wake(Own& own, const void* object, Wakes which);
inline void wake(Own&, Own&) {}
inline void let_go_on(Own&, Own&) {}
inline void let_sleep(Own&, const void*) {}
inline void wait_no_longer(const Own*) {}
inline void wait_for_tasks(Own&, const std::atomic<int>*) {}
void give_up_at(Own& own, double time);
void release(const Own& own, const void* object);
void acquire(Own& own, const void* object);
void forget(const void* object);
void expect(const void* object);

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

}  // namespace commgauge::record::following
