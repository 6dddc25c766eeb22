#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "commgauge/simulate/machine/disturbance.hpp"
#include "commgauge/simulate/process/request.hpp"
#include "commgauge/simulate/world/world.hpp"

namespace commgauge::simulate {

/// Where a rank's time went [s].
struct Shares {
  double computing{};
  double sending{};
  double receiving{};
  double waiting{};
  double files{};  ///< of their data, where a driver knows of it
  double sleeping{};

  Shares& operator+=(const Shares& other) {
    computing += other.computing;
    sending += other.sending;
    receiving += other.receiving;
    waiting += other.waiting;
    files += other.files;
    sleeping += other.sleeping;
    return *this;
  }
};

/// Of a rank's processor. A rank that sleeps takes no CPU time, one that waits for messages spins.
struct ProcessorUse {
  double got{};   ///< [s]
  double lost{};  ///< to others [s]
  long losses{};
  long sleeps{};
};

class Process;

/// Data that one rank has from another: a message, what is put into a window, or an answer to what
/// fetches.
struct Transfer {
  int from{};
  int to{};
  std::uint64_t bytes{};
  double started{};  ///< the sender's part of it; where nobody sends it, it was ready then [s]
  double over{};     ///< the receiver had it, or its memory [s]
};

/// Sees what happens to ranks, each in the order of its own time. Times are virtual [s].
class Observer {
 public:
  virtual ~Observer() = default;
  /// Time has passed for a rank, in one way.
  virtual void passed(const Process& process, double Shares::*share, double from, double to) = 0;
  /// Data have moved: a message that the rank has received, at its clock, or an access of it that
  /// is over, of which it may learn later than it was.
  virtual void moved(const Transfer& data) = 0;
};

/// When a rank's ports for eager messages are free, of all of its threads.
struct EagerPorts {
  double send_free{};     ///< [s]
  double receive_free{};  ///< [s]
  double idle{};          ///< until when the port last had nothing to pass [s]
  double free{};          ///< when it can pass the next message [s]
  // Where causes are kept:
  Cause frees_sending;  ///< why it can't send before send_free
  Cause frees_receiving;
  Moment passed{};  ///< the last message, at `free`
};

/// One rank of a job, or a further thread of one: its clock, its requests. Times are virtual [s].
///
/// What waits doesn't block: it says whether it is over. If not, the rank is blocked in its World,
/// and when that wakes it, the same is to be called again, until it is over.
class Process {
 public:
  /// A rank's first thread.
  Process(World& world, int rank);
  /// A further one, which begins at another's clock. @param first  of the rank; must outlive it
  /// @param actor  of the world
  Process(Process& first, int actor, const Process& parent);
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  virtual ~Process() = default;

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int actor() const { return actor_; }
  [[nodiscard]] double clock() const { return clock_; }
  /// The moment of its clock, where the world keeps causes.
  [[nodiscard]] Moment now() const { return now_; }
  [[nodiscard]] const Shares& shares() const { return shares_; }
  [[nodiscard]] const ProcessorUse& use() const { return use_; }
  [[nodiscard]] const TakenInTurn& in_turn() const { return in_turn_; }
  [[nodiscard]] World& world() { return world_; }
  [[nodiscard]] const World& world() const { return world_; }
  [[nodiscard]] const Machine& machine() const { return world_.machine(); }
  [[nodiscard]] Message& message(Offset place) { return world_.message(place); }

  /// @param observer  must outlive the rank's time
  void set_observer(Observer& observer) { observer_ = &observer; }

  /// Work of the rank's own, that many times: disturbances of its processor make it longer.
  void compute(double seconds, std::uint64_t times = 1);
  /// It might have, and hasn't: a moment of its own where the world keeps causes.
  void compute_nothing() { note(clock_, {{now_, 0, Why::computing_nothing}}); }
  /// Is no computing: the processor is others' meanwhile.
  void sleep(double seconds);
  /// Goes on when it has its processor.
  void wait_for_processor();
  /// From here on it does nothing before another thread of its rank lets it: World::wake_thread().
  void sleep_until_woken();
  /// Another thread, that far, has let it go on. @param at  the moment of that
  void go_on_from(double time, Moment at = beginning);
  /// It computes no sooner: its rank's cores have others to work for.
  void wait_for_core(double time);
  /// Of a rank with several threads each does what others of it can see in its turn, by the clocks.
  /// @return whether it is this one's
  [[nodiscard]] bool turn();

  /// Starts what has not started, or is to start again. @pre no collective operation
  void start(Request& request);
  void start_collective(Request& request, Task task);

  /// @return whether all of them are over, or one of them is
  [[nodiscard]] bool wait(std::span<Request* const> requests, bool for_all);
  /// Whether all are over by now: then takes all of them.
  /// @return nothing: it isn't certain yet
  [[nodiscard]] std::optional<bool> test_all(std::span<Request* const> requests);
  /// Takes the one that is over by now, of several the first. @return whether that is certain
  [[nodiscard]] bool test_any(std::span<Request* const> requests);
  /// Takes those that are over by that time. @return whether it is certain which
  [[nodiscard]] bool test_some(std::span<Request* const> requests, double time);
  /// Takes back a receive that no message has come for by now. It is over then.
  /// @return whether it has; nothing: it isn't certain yet
  [[nodiscard]] std::optional<bool> cancel(Request& receive);
  /// Time passes for a program that asks again and again. Undisturbed the effort grows by the
  /// logarithm of `times` only.
  void poll_unsuccessfully(std::uint64_t times = 1);
  /// Asks again and again until all are over, then takes all of them. @return whether that has
  /// happened
  [[nodiscard]] bool poll_until_over(std::span<Request* const> requests);
  /// From here on another thread of the rank lets its collective operations go on.
  void hand_over_to(Process& other);
  /// Whether collective operations are under way.
  [[nodiscard]] bool has_collectives() const { return !activities_.empty(); }

  /// @return a message that fits; nothing: it isn't certain yet which
  [[nodiscard]] std::optional<Offset> probe(const Envelope& wanted);
  /// @return a message that fits and has come by now, 0 if there is none; nothing: not certain yet
  [[nodiscard]] std::optional<Offset> probe_now(const Envelope& wanted);
  /// Sets a probed message aside, for receive() only (MPI_Mprobe).
  void take(Offset message);
  /// Receives a message that take() has set aside.
  void receive(Request& request, Offset message);
  /// Does its own part of a message that it doesn't wait for, whether that has come or not. The
  /// request for it has been started, and is of no other use.
  void receive_unawaited(int source, std::uint64_t bytes, bool is_rendezvous);

  /// Waits for the empty message that tells of an access's end, or of a lock: from that rank, when
  /// it was over. @param at  Request::over_at. @pre nothing else goes back
  void hear_of(int peer, double over, Moment at = beginning);
  /// @return whether World::take_access() has all accesses to the own memory that came by now
  [[nodiscard]] bool find_accesses();

  /// @param meeting  tells it from others of the same ranks, at the same time
  /// @return whether all of these ranks are here. Their clocks are then the latest of them.
  [[nodiscard]] bool synchronise(std::span<const int> members, int meeting = 0);
  void finish();

 protected:
  /// Puts a send's data where its receiver finds them. @pre the world is locked. @return 0: none
  virtual Offset store(Request&) { return 0; }
  /// Hands a message over to its receive, of which all else is known.
  virtual void deliver(Request&, const Message&) {}
  /// An access is over.
  virtual void reached(Request&) {}
  /// Time may have passed meanwhile. @param due  when the rank would have gone on [s]
  virtual void catch_up(double due) { (void)due; }
  /// Time passes for the rank.
  void advance(double to, double Shares::*share);
  void use_processor(double seconds, double Shares::*share, Why why = Why::computing);
  /// The same, as often, to the bit.
  void use_processor(double seconds, double Shares::*share, std::uint64_t times,
                     Why why = Why::computing);
  void publish() { world_.publish(actor_, clock_); }
  [[nodiscard]] const Processor& processor() const { return world_.processor(rank_); }

  Shares shares_;
  ProcessorUse use_;

 private:
  void poll_until(double time);
  void send(Request& request);
  [[nodiscard]] bool uses_rendezvous(const Request& request) const;
  void conclude(Request& request);
  void conclude_send(Request& request, const Operation& operation);
  void observe_access(const Request& request, const Operation& operation);
  void conclude_access(Request& request, const Operation& operation);
  double conclude_receive(Request& request, const Message& message, double event, Moment is_over);
  void count_transit(const Request& request, const Message& message, double until);
  void count_own_part(double since);
  struct Passing {
    double time{};  ///< [s]
    Moment moment{};
  };
  [[nodiscard]] Passing pass_port(const Message& message);
  void note(double time, std::initializer_list<Cause> causes);
  void wait_and_do(double end, double part, double Shares::*share);
  void ask_until(double time);
  void conclude_in_order(std::span<Request* const> requests);
  bool go_on_with_activities();
  void resume(Request& collective);
  static void check(std::span<Request* const> requests);
  void take_over(std::span<Request* const> requests);
  void find_parts(std::span<Request* const> requests);
  [[nodiscard]] double last_event(std::span<Request* const> requests);
  [[nodiscard]] Request& first_over(std::span<Request* const> requests);
  [[nodiscard]] bool wait_for_parts(std::span<Request* const> requests, bool for_all);
  [[nodiscard]] bool make_known(double time);
  [[nodiscard]] bool progress(double time);
  [[nodiscard]] bool is_quiet(double time);
  [[nodiscard]] bool is_over(const Request& request, double time);
  [[nodiscard]] std::vector<Request*> over_by(std::span<Request* const> requests, double time);

  World& world_;
  Observer* observer_{};
  int rank_;
  int actor_;
  double clock_{};
  TakenInTurn in_turn_;
  EagerPorts own_ports_;
  EagerPorts& ports_{own_ports_};     ///< the rank's
  Moment now_{};                      ///< at its clock, where causes are kept
  std::vector<Request*> activities_;  ///< collective operations under way
  /// When progress() has found nothing that was over: as long as these wait for the same, and it
  /// isn't known of more of the rank's operations, nothing is before `first`.
  struct Quiet {
    std::uint64_t known_ends{};
    double first{};  ///< [s]; 0: they wait for something else
  } quiet_;
  // Of the question that is being asked:
  std::vector<Request*> parts_;
  std::vector<Offset> operations_;
};

}  // namespace commgauge::simulate
