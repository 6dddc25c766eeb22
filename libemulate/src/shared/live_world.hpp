#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "commgauge/base/error.hpp"
#include "commgauge/simulate/machine/machine.hpp"
#include "commgauge/simulate/world/arena.hpp"
#include "commgauge/simulate/world/world.hpp"
#include "mpi/datatypes.hpp"
#include "shared/shared_memory.hpp"

namespace commgauge::emulate {

using simulate::Arena;
using simulate::DeadlockError;

/// Nothing that ranks wait for has happened for as long as the user allows.
class StallError : public Error {
 public:
  using Error::Error;
};
using simulate::Driver;
using simulate::Machine;
using simulate::Message;
using simulate::never;
using simulate::Offset;
using simulate::wildcard;
using simulate::World;

/// Of one collective operation: its messages have the first of them and those behind it.
inline constexpr int tags_of_one = 1 << 10;

/// How a rank calls a collective operation, as far as others have to call it alike.
struct CollectiveNote {
  std::array<char, 40> name{};
  int rank{};                          ///< of the job
  std::optional<int> root;             ///< in the communicator
  std::optional<MPI_Op> op;            ///< MPI's own
  std::optional<std::uint64_t> bytes;  ///< of what is the same on all ranks
  Element elements{};                  ///< that it moves or reduces
};

/// The world as one of the live processes sees it that share it, each a rank. Ranks that are
/// blocked sleep; whoever changes something takes the decisions that follow, for all.
class LiveWorld final : private Driver {
 public:
  /// Lays out what the ranks of a job share, the machine among it. @return where it is
  [[nodiscard]] static Offset set_up(const SharedMemory& memory, const Machine& machine);
  LiveWorld(SharedMemory memory, Offset place, int self);
  LiveWorld(LiveWorld&&) = delete;
  ~LiveWorld() override = default;

  [[nodiscard]] World& world() { return world_; }
  /// For whoever carries out accesses to a rank's memory. Not to be taken with the world's lock
  /// held.
  [[nodiscard]] SharedLock& memory_of(int rank);
  /// Sleeps while the calling thread's actor is blocked, or for so long in real time; then others
  /// may work meanwhile. @return whether it is blocked no more. @throws DeadlockError  nobody can
  /// go on; StallError: nothing
  /// has happened for the limit of stalls
  bool block(double longest = never);
  /// Whoever is blocked looks whether anybody can go on.
  void let_all_ask();
  /// The calling thread is that actor of the rank.
  static void act_as(int actor);

  /// The most threads of a rank at a time, beside its first.
  static constexpr int threads_per_rank = 256;

  /// Something that is to be done again and again while this rank sleeps, and at each
  /// work_meanwhile(), until it returns false.
  void set_meanwhile(std::function<bool()> work) { meanwhile_ = std::move(work); }
  /// @return whether there is more to do
  bool work_meanwhile();

  /// Where nothing happens that ranks wait for, one of them says so once a minute. After this time,
  /// or twice as long, the wait ends, too [s].
  void end_stalls_after(double limit) { stall_limit_ = limit; }

  /// From here on nothing happens before its real time: virtual time 0 is then.
  void follow_real_time(double start) { real_start_ = start; }
  [[nodiscard]] double least_time() const override;

  /// Whether no rank of the job has asked before. Needs no lock.
  [[nodiscard]] bool is_first_to_fail();
  /// Whether no rank has told of types that differ.
  [[nodiscard]] bool is_first_to_warn();
  /// Whether no rank has told of what it leaves undone.
  [[nodiscard]] bool is_first_to_tell_of_rest();
  /// For that rank: the launcher has read why.
  void has_told();
  /// For the others: returns when it has, or after 20 s, for it may be gone.
  void wait_until_told();
  /// A number that no other call gets. Needs no lock.
  [[nodiscard]] int next_number();
  /// One that so many ranks get who ask by the same key, once each.
  /// @param number  which; 0: a new one. Of the first to ask it counts
  [[nodiscard]] int number_for(int context, int tag, int members, int number = 0);

  /// A member's call of an operation of a communicator, by context and first tag: each member's is
  /// noted once. @return how the first to call it did
  [[nodiscard]] CollectiveNote note_collective(int context, int tag, int members,
                                               const CollectiveNote& own);
  [[nodiscard]] std::string collective(int context, int tag) const override;

  /// Gives the lock back for a while.
  class Unlocked {
   public:
    explicit Unlocked(LiveWorld& live) : live_{live} { live_.unlock(); }
    Unlocked(const Unlocked&) = delete;
    Unlocked& operator=(const Unlocked&) = delete;
    ~Unlocked() { live_.lock(); }

   private:
    LiveWorld& live_;
  };

 private:
  struct Sleeper;
  struct Shared;
  struct Agreed;
  struct Noted;
  /// How long no operation has ended while this rank waits, in one call of block() or many. They
  /// are counted at looks alone, for there are as many counts as ranks.
  struct Stall {
    std::uint64_t ends;   ///< operations of all ranks that were over
    double since{never};  ///< [s]; never: it doesn't wait
    int told;             ///< times
  };

  void wake(int actor) override;
  [[nodiscard]] bool follows_real_time() const override { return real_start_ != never; }
  void changed(World& world) override;
  void lock() override;
  void unlock() override;
  [[nodiscard]] bool is_deadlocked();
  /// @return what there is to say, empty: nothing. @throws StallError
  [[nodiscard]] std::string look_for_stall();
  [[nodiscard]] Offset& notes(int context, int tag) const;
  void rouse(int actor);
  void rouse_sleepers();

  SharedMemory memory_;
  Arena arena_;
  Shared& shared_;
  Machine machine_;
  Sleeper* sleepers_;
  int self_;
  int spins_;
  double real_start_{never};
  double stall_limit_{never};  ///< [s]
  Stall stall_{};
  double stuck_since_{never};  ///< when nobody could go on, unless one who dozes is awake [s]
  std::function<bool()> meanwhile_;
  World world_;
};

}  // namespace commgauge::emulate
