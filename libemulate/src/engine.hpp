#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "machine.hpp"
#include "shared.hpp"

namespace commgauge::emulate {

inline constexpr double never = std::numeric_limits<double>::infinity();
inline constexpr int anything = std::numeric_limits<int>::min();  ///< as source or tag of a receive

/// What a message says of itself, and what a receive asks for.
struct Envelope {
  int context{};  ///< a communicator's side: messages of the program, or of collectives
  int source{};   ///< rank of the job
  int tag{};
};
[[nodiscard]] bool matches(const Envelope& message, const Envelope& wanted);

/// A message under way or waiting at its receiver. In shared memory.
struct Message {
  Offset next{};  ///< at the same receiver, in the order of arrival
  Envelope envelope;
  bool synchronous{};
  int number{};      ///< among its sender's
  double start{};    ///< when the sender's call began; later if its request had to wait [s]
  double visible{};  ///< virtual arrival [s]
  double end{};      ///< of an eager one: when a receiver that was waiting is done with it [s]
  double take_in{};
  double gap{};
  double port{};
  std::uint64_t size{};  ///< [bytes]
  Offset payload{};      ///< 0: none
  Offset sender{};       ///< operation that waits for a synchronous one to be received
  // Of a synchronous one that has met its receive:
  Offset receive{};
  int receiver{};
  double met{};    ///< when that was [s]
  double ready{};  ///< its bytes start, if the ports are free [s]
};

/// A receive, or a synchronous send, that isn't over. In shared memory.
struct Operation {
  Offset next{};  ///< receives of one rank, in the order in which they were posted
  Envelope wanted;
  double posted{};  ///< [s]
  int owner{};
  bool is_send{};             ///< `wanted.source` is the receiver then
  bool awaited{};             ///< its rank waits for it
  std::atomic<bool> known{};  ///< the rest is:
  double event{};             ///< when it is over, but for what the receiver has to do itself [s]
  Offset message{};           ///< of a receive
};

struct Sending {
  int to{};
  int context{};
  int tag{};
  std::uint64_t size{};  ///< [bytes]
  Offset payload{};
  double start{};  ///< [s]
  bool synchronous{};
};

/// Virtual time of a whole job: messages, receives, and which decisions can be taken. Every rank
/// has one, all on the same shared memory. Everything but clocks is done with the lock held.
///
/// A decision that depends on which message comes first is taken when no other rank can still send
/// one that would come before (conservative synchronisation). A rank's next message starts no
/// sooner than its clock while it runs; while it is blocked, no sooner than what it waits for.
/// In the same way synchronous messages get the ports of their ranks one after the other, in the
/// order in which they meet their receives.
class Engine {
 public:
  /// Lays out what the ranks of a job share.
  [[nodiscard]] static Offset set_up(SharedMemory& memory, const Machine& machine);
  Engine(SharedMemory& memory, Offset region, const Machine& machine, int self);

  [[nodiscard]] SharedMemory& memory() { return memory_; }
  void lock();
  void unlock();

  /// From here on nothing happens before its real time: virtual time 0 is then.
  void follow_real_time(double start);
  /// Virtual time that must have been reached; 0 where real time isn't followed.
  [[nodiscard]] double least_time() const;

  /// Virtual time of this rank; the others may rely on nothing starting before. Needs no lock.
  void publish(double clock);

  /// An eager message is on its way; of a synchronous one the operation to wait for is returned.
  Offset send(const Sending& sending);
  Offset post(const Envelope& wanted, double now);
  /// A receive of a message that was taken.
  Offset post_for(Offset message, double now);
  /// @pre its end is known
  void drop(Offset operation);
  void drop_message(Offset message);

  [[nodiscard]] Operation& operation(Offset o) { return *memory_.at<Operation>(o); }
  [[nodiscard]] Message& message(Offset m) { return *memory_.at<Message>(m); }

  /// Blocks until it is known of all when they are over.
  void wait_all(std::span<const Offset> operations);
  /// Blocks until it is certain which of them is over first. @return the one
  Offset wait_first(std::span<const Offset> operations);
  /// Blocks until every message that arrives at or before `time` is known.
  void wait_known(double time);
  /// Blocks until it is certain which message a probe finds, or that one of the operations is over
  /// before. The message stays where it is. @return it; 0: an operation is over
  Offset wait_message(const Envelope& wanted, std::span<const Offset> operations);
  /// Blocks until all members have come here, and brings their clocks together. Until then none of
  /// them can do anything, which the others rely on. @return the time
  double meet(std::span<const int> members);
  /// The first message that has arrived by then and no posted receive takes, or 0.
  /// @pre wait_known(time)
  [[nodiscard]] Offset find_message(const Envelope& wanted, double time);
  /// Nobody but the caller gets it from here on.
  void take_message(Offset message);

  /// This rank sends no more.
  void finish();
  /// Whether no rank of the job has asked before. Needs no lock.
  [[nodiscard]] bool is_first_to_fail();
  /// A number that no other call gets. Needs no lock.
  [[nodiscard]] int next_number();

  /// What every rank waits for, one line. Of a job in which nobody can go on.
  [[nodiscard]] std::string describe_deadlock() const;

 private:
  enum class Waiting : std::uint8_t { running, all, first, known, message, meeting, finished };
  struct Rank;
  struct Region;

  [[nodiscard]] Rank& rank(int r) const;
  [[nodiscard]] std::size_t index(int row, int column) const;
  [[nodiscard]] Offset certain_message(int r) const;
  [[nodiscard]] Offset candidate(const Rank& rank, const Envelope& wanted) const;
  [[nodiscard]] double need(const Rank& rank) const;
  [[nodiscard]] double horizon(int r) const;
  [[nodiscard]] double first_undecided(int r) const;
  [[nodiscard]] double may_go_on(int r) const;
  [[nodiscard]] bool nobody_can_go_on() const;
  [[nodiscard]] bool is_ready(int r) const;
  void find_bounds();
  void find_horizon(int r);
  bool match(int r);
  void skip(int r, Offset message);
  [[nodiscard]] bool may_take(const Rank& rank, Offset receive, const Message& message) const;
  void join(int r, Offset message, Offset receive);
  void line_up(Offset message);
  [[nodiscard]] double first_transfer(int r) const;
  bool grant_transfer();
  void transfer(Message& message);
  void become_known(int r, Operation& operation, double event);
  void insert(int r, Offset message);
  void wake_if_ready(int r);
  void wake(int r);
  [[nodiscard]] bool is_meeting(int r, int other) const;
  [[nodiscard]] bool is_undecided(int r) const;
  bool match_all();
  void settle();
  void rouse_sleepers();
  void block(Waiting waiting);
  void await(std::span<const Offset> operations);
  void no_longer_await(std::span<const Offset> operations);
  SharedMemory& memory_;
  Region& region_;
  Rank* ranks_;
  double* look_ahead_;    ///< ranks × ranks
  double* last_visible_;  ///< ranks × ranks: of the pair's messages so far
  /// ranks × ranks, receiver by row: earliest synchronous message that may have its receive posted.
  double* undecided_;
  double* link_free_;  ///< ranks × ranks: of the pair's synchronous messages
  char* members_;      ///< ranks × ranks: whom a rank that is meeting waits for, by row
  const Machine& machine_;
  std::vector<Processor> processors_;
  int self_;
  int spins_{};
  double real_start_{never};
  std::vector<double> bounds_;
  std::vector<char> has_to_wait_;
  std::vector<Offset> skipped_;
};

/// Thrown on the rank that finds that nobody can go on.
class Deadlock {};

}  // namespace commgauge::emulate
