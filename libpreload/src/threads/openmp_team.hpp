#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <set>
#include <vector>

#include "following.hpp"

/// Teams of gcc's OpenMP, and tasks, which the library has its threads carry out while they wait.
namespace commgauge::preload::openmp {

using Work = void(void*);

/// Sleeps until the word is another, with the thread's clock standing still.
void sleep_until_changed(std::atomic<std::uint32_t>& word, std::uint32_t value);
void change(std::atomic<std::uint32_t>& word);

/// Threads in a parallel region.
struct Team {
  /// How a thread waits in the library, outside of the program's code.
  struct Waiting {
    const void* object{};  ///< of the barrier, or of the region's end; nullptr: neither
    bool takes_tasks{};
  };
  struct Member {
    threads::Own* own{};
    Waiting waiting{};
  };

  void* reductions{};  ///< the library's own, of tasks, which it looks for here
  Work* work{};
  void* data{};
  int size{};
  int here{};  ///< at the barrier
  int left{};  ///< who have done the work
  std::atomic<std::uint32_t> begun_by{};
  std::atomic<std::uint32_t> barriers{};
  std::atomic<std::uint32_t> is_over{};
  std::array<char, 2> meetings{};  ///< objects: of a barrier, and of the next
  char ordered{};                  ///< object
  std::vector<Member> members{};   ///< by number
  // Of tasks:
  std::atomic<bool> has_tasks{};
  std::atomic<int> unbegun{};           ///< that nobody has begun to carry out
  std::atomic<std::uint32_t> begun{};   ///< changes with each that is begun
  std::atomic<bool> are_dependent{};    ///< some wait for others
  std::set<const void*> depended_on{};  ///< objects

  // Of the calling thread, locked:
  [[nodiscard]] Member& own_member();
  /// @return how it waited before
  Waiting wait(threads::Own& own, const Waiting& how);
  /// Threads that wait in it for others have to carry out tasks from now on.
  void begin_tasks(threads::Own& own);
};

/// The calling thread's; nullptr: it is in none.
[[gnu::tls_model("initial-exec")]] inline thread_local Team* team = nullptr;

/// What brings threads together, the library by spinning as a rule, isn't computing.
inline void leave_out(const threads::Called& call) {
  const threads::Following own{call, threads::Before::sleeping};
}

}  // namespace commgauge::preload::openmp
