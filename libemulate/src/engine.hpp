#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "commgauge/simulate/machine.hpp"
#include "shared.hpp"

namespace commgauge::emulate {

using namespace simulate;

inline constexpr double never = std::numeric_limits<double>::infinity();
/// As source or tag of a receive: MPI_ANY_SOURCE, MPI_ANY_TAG.
inline constexpr int wildcard = std::numeric_limits<int>::min();

/// What MPI matches messages and receives by: a message's own, or what a receive asks for.
struct Envelope {
  int context{};  ///< communicator, and whether the program's messages or its collectives' own
  int source{};   ///< rank of the job; of a receive also `wildcard`
  int tag{};      ///< of a receive also `wildcard`
};
[[nodiscard]] bool matches(const Envelope& message, const Envelope& wanted);

/// A message under way, or arrived and not yet received. In shared memory.
struct Message {
  Offset next{};  ///< at the same receiver, in the order of arrival
  Envelope envelope;
  bool rendezvous{};  ///< protocol: else eager
  int number{};       ///< among its sender's
  double start{};     ///< when the sender's call began; later if its request had to wait [s]
  double arrival{};   ///< of an eager message, or of a rendezvous's request [s]
  double end{};       ///< of an eager one: when a receiver that was waiting has received it [s]
  double receive_overhead{};  ///< [s]
  double gap{};               ///< PairCosts::gap [s]
  double port{};              ///< PairCosts::port [s]
  std::uint64_t size{};       ///< [bytes]
  Offset payload{};           ///< 0: none
  Offset sender{};            ///< of a rendezvous: the send's operation, over with the transfer
  // Of a rendezvous message that is matched:
  Offset receive{};
  int receiver{};
  double matched{};  ///< when it was: the request had arrived, the receive was posted [s]
  double ready{};    ///< its bytes start, if the ports are free [s]
};

/// A receive, or a rendezvous send, that isn't over. In shared memory.
struct Operation {
  Offset next{};  ///< receives of one rank, in the order in which they were posted
  Envelope wanted;
  double posted{};  ///< [s]
  int owner{};
  bool is_send{};             ///< `wanted.source` is the receiver then
  bool awaited{};             ///< its rank waits for it
  std::atomic<bool> known{};  ///< whether `event` and `message` are
  /// When it is over [s]; of an eager message its arrival: the receive overhead follows.
  double event{};
  Offset message{};  ///< of a receive
};

struct Sending {
  int to{};
  int context{};
  int tag{};
  std::uint64_t size{};  ///< [bytes]
  Offset payload{};
  double start{};  ///< [s]
  bool rendezvous{};
};

/// Virtual time of a whole job: matches messages with receives, and says when operations are over.
/// Every rank has one, all on the same shared memory. Everything but clocks is done with the lock
/// held.
///
/// A decision that depends on which message arrives first is taken when no other rank can still
/// send one that would arrive before (conservative synchronisation of a parallel simulation). What
/// makes that certain: a rank's next message starts no sooner than its clock while it runs; while
/// it is blocked, no sooner than the first thing that could end its wait. With the look-ahead, the
/// least time from a rank's doing something to an effect on another, these bounds give each rank a
/// horizon, before which nothing unknown can arrive.
/// In the same way rendezvous messages get the ports of their ranks one after the other, in the
/// order in which they were matched: each when no other can still be matched before it.
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

  /// Sends a message. @return of a rendezvous the operation to wait for; of an eager message 0
  Offset send(const Sending& sending);
  /// Posts a receive. @return the operation to wait for
  Offset post(const Envelope& wanted, double now);
  /// The same for a message that take_message() has set aside for it.
  Offset post_for(Offset message, double now);
  /// @pre its end is known
  void drop(Offset operation);
  void drop_message(Offset message);

  [[nodiscard]] Operation& operation(Offset o) { return *memory_.at<Operation>(o); }
  [[nodiscard]] Message& message(Offset m) { return *memory_.at<Message>(m); }

  /// Blocks until it is known when each of them is over.
  void wait_all(std::span<const Offset> operations);
  /// Blocks until it is certain which of them is over first. @return that one
  Offset wait_first(std::span<const Offset> operations);
  /// Blocks until every message that arrives by `time`, and every operation that is over by then,
  /// is known.
  void wait_known(double time);
  /// Blocks until it is certain which message a probe finds, or that one of the operations is over
  /// before. The message stays available. @return it; 0: an operation is over
  Offset wait_message(const Envelope& wanted, std::span<const Offset> operations);
  /// Blocks until all members have called this, and sets their clocks to the latest of them: a
  /// barrier that costs nothing. A rank that waits here sends nothing before the last member has
  /// come, which the bounds on its next message make use of. @return the time
  double synchronise(std::span<const int> members);
  /// The first message that has arrived by then and no posted receive takes, or 0.
  /// @pre wait_known(time)
  [[nodiscard]] Offset find_message(const Envelope& wanted, double time);
  /// Sets a message aside for the caller: no receive or probe finds it any more.
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
  /// In which of the calls above a rank is blocked.
  enum class Waiting : std::uint8_t {
    running,
    all,
    first,
    known,
    message,
    synchronising,
    finished
  };
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
  void match_with(int r, Offset message, Offset receive);
  void queue_transfer(Offset message);
  [[nodiscard]] double first_transfer(int r) const;
  bool grant_transfer();
  void transfer(Message& message);
  void become_known(int r, Operation& operation, double event);
  void insert(int r, Offset message);
  void wake_if_ready(int r);
  void wake(int r);
  [[nodiscard]] bool waits_to_synchronise_with(int r, int other) const;
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
  // ranks × ranks:
  double* look_ahead_;    ///< simulate::look_ahead() [s]
  double* last_arrival_;  ///< of the pair's messages so far [s]
  /// Receiver by row: earliest arrival of a rendezvous's request that fits a posted receive, but
  /// isn't matched yet, because another message might still come before it [s].
  double* undecided_;
  double* link_free_;  ///< when the pair's link is free for its next rendezvous transfer [s]
  char* members_;      ///< by row: whom a rank that is synchronising waits for
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
