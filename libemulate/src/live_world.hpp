#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <utility>

#include "commgauge/simulate/arena.hpp"
#include "commgauge/simulate/machine.hpp"
#include "commgauge/simulate/world.hpp"
#include "shared.hpp"

namespace commgauge::emulate {

using simulate::Arena;
using simulate::DeadlockError;
using simulate::Driver;
using simulate::Machine;
using simulate::Message;
using simulate::never;
using simulate::Offset;
using simulate::wildcard;
using simulate::World;

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
  /// go on
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

  /// From here on nothing happens before its real time: virtual time 0 is then.
  void follow_real_time(double start) { real_start_ = start; }
  [[nodiscard]] double least_time() const override;

  /// Whether no rank of the job has asked before. Needs no lock.
  [[nodiscard]] bool is_first_to_fail();
  /// For that rank: the launcher has read why.
  void has_told();
  /// For the others: returns when it has, or after 20 s, for it may be gone.
  void wait_until_told();
  /// A number that no other call gets. Needs no lock.
  [[nodiscard]] int next_number();
  /// One that so many ranks get who ask by the same key, once each.
  /// @param number  which; 0: a new one. Of the first to ask it counts
  [[nodiscard]] int number_for(int context, int tag, int members, int number = 0);

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

  void wake(int actor) override;
  [[nodiscard]] bool follows_real_time() const override { return real_start_ != never; }
  void changed(World& world) override;
  void lock() override;
  void unlock() override;
  [[nodiscard]] bool is_deadlocked();
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
  double stuck_since_{never};  ///< when nobody could go on, unless one who dozes is awake [s]
  std::function<bool()> meanwhile_;
  World world_;
};

}  // namespace commgauge::emulate
