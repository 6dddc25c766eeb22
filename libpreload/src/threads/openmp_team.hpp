#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "threads/following.hpp"

/// OpenMP, whichever library it is by: a team begins at the clock of the thread that makes it,
/// which goes on when the last of the team has ended; barriers, critical sections and ordered loops
/// carry clocks. Where the library makes threads wait for each other they have met here before.
namespace commgauge::preload::openmp {

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

  int size{1};
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
  std::atomic<bool> takes_turns{true};  ///< at the end of one: no other waits for that
  std::atomic<bool> gives_turns{true};  ///< none came too late

  // Of the calling thread, locked:
  [[nodiscard]] Member& own_member();
  /// @return how it waited before
  Waiting wait(threads::Own& own, const Waiting& how);
  /// Threads that wait in it for others have to carry out tasks from now on.
  void begin_tasks(threads::Own& own);

  /// Before the calling thread asks the library for a task. Where times are virtual it may be the
  /// first to do so though others have waited for longer: returns when these have one.
  void let_others_begin();

 private:
  [[nodiscard]] bool is_anothers_turn();
};

/// Where a thread is.
struct Seat {
  Team* team{};         ///< nullptr: in none
  int number{};         ///< in it
  unsigned barriers{};  ///< so many it has come to
};
/// The calling thread's.
[[gnu::tls_model("initial-exec")]] inline thread_local Seat seat;

/// The one that it has left last: where the library ends that region, it may have tasks for it.
[[gnu::tls_model("initial-exec")]] inline thread_local Seat seat_left;

/// Whether there are others in its team.
[[nodiscard]] inline bool has_team() { return seat.team != nullptr && seat.team->size > 1; }

/// What brings threads together, the library by spinning as a rule, isn't computing.
inline void leave_out(const threads::Called& call) {
  const threads::Following own{call, threads::Before::sleeping};
}

void change(std::atomic<std::uint32_t>& word);

/// The calling thread is about to make a team. @return whether clocks follow it
[[nodiscard]] bool begin_region(Team& made);
/// The library has brought the team together, and carried out its tasks.
/// @param threads_stay  it keeps its threads for other regions; else they have ended, or are about
/// to
void end_region(Team& over, bool threads_stay);
// Of each thread in its team:
void set_size(Team& team, int size);
void begin_work();
void end_work();

// Of teams of several, before and behind the library's barrier. @return an object
[[nodiscard]] const void* begin_meeting();
void end_meeting(const void* object);

// Before the thread waits in the library for a critical section, when it has it, and when it is
// about to leave it.
[[nodiscard]] bool wait_for_section(const void* lock);
/// @param has_waited  what wait_for_section() has said
void has_section(const void* lock, bool has_waited);
void end_section(const void* lock);

// Likewise for its turn in an ordered loop.
void wait_for_order();
void has_order();
void end_order();

}  // namespace commgauge::preload::openmp
