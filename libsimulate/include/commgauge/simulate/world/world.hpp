#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "commgauge/base/error.hpp"
#include "commgauge/simulate/machine/machine.hpp"
#include "commgauge/simulate/world/arena.hpp"
#include "commgauge/simulate/world/causes.hpp"
#include "commgauge/simulate/world/fair_shares.hpp"
#include "commgauge/simulate/world/message.hpp"
#include "commgauge/simulate/world/rank_heap.hpp"

namespace commgauge::simulate {

class World;

/// Nobody can go on: the program waits for what never comes.
class DeadlockError : public Error {
 public:
  explicit DeadlockError(const World& world);
  DeadlockError(const std::string& waiting, const std::string& advice);

  /// Which rank waits for what.
  [[nodiscard]] const std::string& waiting() const { return waiting_; }

 private:
  std::string waiting_;
};

/// Who lets the ranks of a world run: one thread, one rank after the other (Simulation), or live
/// processes that share the world's memory.
class Driver {
 public:
  virtual ~Driver() = default;
  /// The actor is blocked no more: it shall ask again for what it waited for.
  virtual void wake(int actor) = 0;
  /// Nothing happens before this virtual time any more [s].
  [[nodiscard]] virtual double least_time() const { return 0; }
  /// Whether that time passes by itself.
  [[nodiscard]] virtual bool follows_real_time() const { return false; }
  /// The name of a collective operation, by its messages' context and tag; empty: not known.
  [[nodiscard]] virtual std::string collective(int context, int tag) const {
    (void)context, (void)tag;
    return {};
  }
  /// Something has changed that may make decisions certain: World::settle(), now or later.
  virtual void changed(World& world) = 0;
  // Mutual exclusion, where several processes have the world.
  virtual void lock() {}
  virtual void unlock() {}
};

/// The messages of a whole job in virtual time: mailboxes, matching in MPI's order, links,
/// transfers of the rendezvous protocol, who waits for what. Plain data in an arena; it knows no
/// MPI, no process and no real time.
///
/// A decision that depends on which message arrives first is taken when no other rank can still
/// send one that would arrive before (conservative synchronisation of a parallel simulation). What
/// makes that certain: no rank does anything before the *bound*, the least of
///   the clocks of the ranks that run,
///   the first thing that could end the wait of one that is blocked, or match a posted receive,
///   the first message in a queue for ports;
/// and nothing that is done has an effect on another rank before the *look-ahead* of the machine
/// has passed. So everything before their sum, the *horizon*, is known; what is decided next is
/// decided in the order of time, whoever does it, and in whatever order processes really run.
///
/// Where links are shared fairly (Machine::sharing) bytes that are under way are among what can
/// happen first, for the bound. The horizon isn't beyond the time when the first of them could have
/// passed.
///
/// A sender's port and a link serve eager messages and data of rendezvous messages in the order in
/// which these were sent, or matched: each when no other can still come before it, as soon as they
/// are free for as long as it needs them. Links that several pairs share serve messages in the
/// order in which they come to them. The links of hosts serve messages in one order of all of them,
/// by the times at which they were sent, or matched.
///
/// Who acts are *actors*: the first thread of each rank, with the number of the rank, and further
/// threads, between begin() and end(). Mailbox, ports and links are a rank's, waiting and the clock
/// an actor's. What the threads of a rank do to these they do in the order of their clocks, each in
/// its turn().
///
/// Everything but publish() is done with the driver's lock held. Costs, n ranks, r of them running:
/// a message O(1 + receives and messages waiting at its receiver, and at its ports); a decision
/// O(r + log n).
class World {
 public:
  /// Lays out what belongs to all of the job. O(n). @return where it is
  /// @param threads_per_rank  the most that a rank has at a time, beside its first
  [[nodiscard]] static Offset set_up(Arena& arena, const Machine& machine,
                                     int threads_per_rank = 0);
  /// @param region  from set_up() on the same memory. All must outlive the world.
  World(Arena& arena, Offset region, const Machine& machine, Driver& driver);

  /// Where all that happens is to be explained. @param causes  must outlive the world
  void keep_causes(Causes& causes) { causes_ = &causes; }
  [[nodiscard]] bool keeps_causes() const { return causes_ != nullptr; }
  /// Notes something that happens to a rank.
  Moment happens(int rank, double time, std::span<const Cause> causes) {
    return causes_ != nullptr ? causes_->happens(rank, time, causes) : beginning;
  }
  Moment happens(int rank, double time, std::initializer_list<Cause> causes) {
    return happens(rank, time, std::span{causes.begin(), causes.size()});
  }

  /// Where the rank is in its program from now on: Causes::set_place().
  void set_place(int rank, std::uint32_t place) {
    if (causes_ != nullptr) causes_->set_place(rank, place);
  }

  /// Numbers a message that is going to be sent.
  [[nodiscard]] std::uint32_t announce(int sender, const Sending& sending) {
    if (causes_ == nullptr) return no_message;
    return causes_->add_message(
        {sender, sending.to, sending.size, sending.rendezvous, sending.context, 0});
  }

  void lock() { driver_.lock(); }
  void unlock() { driver_.unlock(); }
  [[nodiscard]] Arena& arena() { return arena_; }
  [[nodiscard]] const Machine& machine() const { return machine_; }
  [[nodiscard]] const Processor& processor(int rank) const { return processors_[index(rank)]; }
  [[nodiscard]] Driver& driver() { return driver_; }

  /// Virtual time of an actor that runs: it starts nothing before. Needs no lock.
  void publish(int actor, double clock);
  /// At least what it published.
  [[nodiscard]] double published(int actor) const;

  /// A further thread of a rank. @return its actor
  /// @throws InputError  the rank has as many as it can
  [[nodiscard]] int begin(int rank, double clock);
  void end(int actor);
  /// Whether it has further threads.
  [[nodiscard]] bool has_threads(int rank) const;
  /// The thread sleeps, and does nothing before another thread of its rank lets it.
  /// @param by_any  the first that is woken, or wake_thread(); else only wake_thread() does
  void sleep_thread(int actor, bool by_any);
  /// It may go on, from that time, or from the bound if that is later. Nothing if it runs.
  void wake_thread(int actor, double time);
  [[nodiscard]] bool sleeps(int actor) const;

  /// Sends a message. @return of a rendezvous, and of one with an effect, the operation to wait
  /// for; of an eager message 0. One with an effect goes like an eager one, whatever its size; the
  /// operation is over when it has arrived and passed the receiver's port, if nothing goes back to
  /// the sender, else when that is there; of a lock when it is granted.
  Offset send(int sender, const Sending& sending);
  /// Posts a receive. @return the operation to wait for
  Offset post(int receiver, const Envelope& wanted, double now, Moment at = beginning);
  /// The same for a message that take_message() has set aside for it.
  Offset post_for(int receiver, Offset message, double now, Moment at = beginning);
  /// Takes back a receive that no message has arrived for by `now`; one that comes later finds
  /// others. On shared links it may be too late where a rendezvous message is already on its way.
  /// @pre wait_known(receiver, now). @return whether; the operation is no more then
  [[nodiscard]] bool withdraw(int receiver, Offset receive, double now);
  /// @pre its end is known
  void drop(Offset operation);
  void drop_message(Offset message);
  [[nodiscard]] Operation& operation(Offset o) { return *arena_.at<Operation>(o); }
  [[nodiscard]] Message& message(Offset m) { return *arena_.at<Message>(m); }

  /// Of how many of the rank's operations it has become known when they are over.
  [[nodiscard]] std::uint64_t known_ends(int rank) const;

  /// From here on other ranks' messages reach this one's memory in one more window, or one less.
  /// @pre none of them has sent one yet; or all of these are over
  void expose(int rank, int windows);
  /// Accesses to the rank's memory whose time has come, in order of arrival: that of nobody who may
  /// still look at it comes before. @return the next; 0: none. To drop.
  [[nodiscard]] Offset take_access(int rank);

  // Waiting. Each says what is asked for, if that is certain. Else the actor is blocked until
  // Driver::wake(): then it asks again.

  /// @return whether it is known when each of them is over
  [[nodiscard]] bool wait_all(int actor, std::span<const Offset> operations);
  /// @return the one that is over first
  [[nodiscard]] std::optional<Offset> wait_first(int actor, std::span<const Offset> operations);
  /// @return whether every message that arrives by `time`, and every operation that is over by
  /// then, is known
  [[nodiscard]] bool wait_known(int actor, double time);
  /// @return whether the time has come of all accesses to its rank's memory that arrive by `time`:
  /// take_access()
  [[nodiscard]] bool wait_passed(int actor, double time);
  /// What the rank's actors wait for may be over otherwise: those that wait for operations ask
  /// again.
  void ask_again(int rank);
  /// @return the message that a probe finds, which stays available; 0: one of the operations is
  /// over before
  [[nodiscard]] std::optional<Offset> wait_message(int actor, const Envelope& wanted,
                                                   std::span<const Offset> operations);
  /// @return whether no other thread of its rank does anything before that time
  [[nodiscard]] bool turn(int actor, double time);
  /// A barrier of ranks that costs nothing. Who waits here sends nothing before the last member has
  /// come, which the bound makes use of. @pre the actor's rank is one of the members, each of them
  /// there once.
  /// @param meeting  tells it from others of the same ranks, for ranks with several threads
  /// @return when all of them have called this: the latest of
  /// their clocks
  [[nodiscard]] std::optional<double> synchronise(int actor, std::span<const int> members,
                                                  Moment at = beginning, int meeting = 0);
  /// When they had all come, after synchronise() of the actor.
  [[nodiscard]] Moment met(int actor) const;

  /// The first message that has arrived by then and no posted receive takes, or 0.
  /// @pre wait_known(rank, time)
  [[nodiscard]] Offset find_message(int rank, const Envelope& wanted, double time);
  /// Messages of the program's own that have come to the rank and no receive has taken: how many,
  /// and the first of them, or 0.
  struct Unreceived {
    int count{};
    Offset first{};
  };
  [[nodiscard]] Unreceived unreceived(int rank) const;
  /// Sets a message aside for the caller: no receive or probe finds it any more.
  void take_message(int rank, Offset message);
  /// This rank sends no more, nor does any of its threads.
  void finish(int rank);

  /// Takes every decision that can be taken now, until none is left: each may make others certain.
  void settle();
  /// Whether it waits. One that has finished does not.
  [[nodiscard]] bool is_blocked(int actor) const;
  /// Whether the job is in a deadlock. @pre settle()
  [[nodiscard]] bool nobody_can_go_on() const;
  /// Whether all other ranks have finished, or wait for what only this one could do. A rank with
  /// several threads is never alone.
  [[nodiscard]] bool is_left_alone(int rank) const;
  /// Whether a thread sleeps whom anybody may wake, in a way that isn't seen.
  [[nodiscard]] bool anybody_dozes() const;
  /// Where the passing of time alone makes things certain (Driver::least_time()): when that may let
  /// the rank go on.
  [[nodiscard]] double may_go_on(int rank) const;
  /// What each rank waits for, or that it doesn't wait: one line.
  [[nodiscard]] std::string describe_ranks() const;

 private:
  /// In which of the calls above an actor is blocked.
  enum class Waiting : std::uint8_t {
    absent,
    running,
    all,
    first,
    known,
    passed,
    message,
    turn,
    synchronising,
    sleeping,
    dozing,  ///< sleeping: any thread of its rank that is woken may wake it
    finished
  };
  struct Actor;
  struct Rank;
  struct Region;
  struct Link;
  struct Lock;
  struct Occupancy;
  struct Served;
  struct Given;
  struct UnderWay;
  struct Carrier;
  struct Flow;

  [[nodiscard]] static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  [[nodiscard]] Rank& rank(int r) const;
  [[nodiscard]] Actor& actor(int a) const;
  template <class Use>
  void for_each_actor(int r, Use&& use) const;
  template <class Holds>
  [[nodiscard]] bool all_actors(int r, Holds&& holds) const;
  [[nodiscard]] Link& link(int sender, int receiver);
  void grow_links(Rank& from);
  // Mailboxes:
  void insert(int r, Offset message);
  [[nodiscard]] Offset candidate(const Rank& rank, const Envelope& wanted) const;
  void match_message(int r, const Message& added);
  void match_receive(int r, const Envelope& wanted);
  bool match(int r);
  [[nodiscard]] Offset first_fitting(const Rank& receiver, const Envelope& message) const;
  [[nodiscard]] bool has_named_receive(const Rank& receiver) const;
  [[nodiscard]] bool fits_a_receive(const Message& message) const;
  [[nodiscard]] bool may_take(Offset receive, const Message& message) const;
  void hand_to_oneself(const Message& own, Operation& receive);
  void match_with(int r, Offset message, Offset receive);
  void no_longer_open(const Message& message);
  [[nodiscard]] bool match_no_more(int r, Offset message);
  // Ports and links:
  struct Start {
    double time{};  ///< of the sender's port [s]
    double lost{};  ///< to others, before the data start [s]
    Moment data{};  ///< their start
  };
  /// By others on hosts' links.
  struct Delayed {
    double alone{};   ///< what its bytes take alone [s]
    double by{};      ///< [s]
    Moment passed{};  ///< its links; `beginning`: that says nothing

    /// What else it takes once it has passed them.
    [[nodiscard]] Cause rest(double more, Why why, std::uint32_t message) const {
      return passed == beginning ? Cause{} : Cause{passed, more - alone, why, message};
    }
  };
  /// Of a message on a link: from `from` to `until`, with others in between.
  struct Passage {
    double needs{};       ///< [s]
    double last_piece{};  ///< after the last one of others [s]
    double from{};        ///< [s]
    double until{};       ///< [s]
    Cause before{};       ///< why not sooner
    Cause before_last{};  ///< likewise, of the last piece
    bool is_begun{};
    bool waits{};
    void begin(double time) {
      from = time;
      is_begun = true;
    }
  };
  [[nodiscard]] static bool precedes(const Message& a, const Message& b);
  [[nodiscard]] static Offset& next_in_queue(int r, Message& message);
  void queue_changed(int r);
  void touch(int r);
  void enqueue(int r, Offset message);
  void dequeue(int r, Message& message);
  void hold(Offset message);
  [[nodiscard]] bool passes_hosts(const Message& message) const;
  [[nodiscard]] bool in_order_of_all(const Message& message) const;
  void queue_transfer(Offset message);
  [[nodiscard]] bool leave_queue(int r, Offset message);
  [[nodiscard]] double first_transfer(int r) const;
  [[nodiscard]] double first_undecided(int r) const;
  [[nodiscard]] bool comes_next(int r, const Message& message, double least) const;
  [[nodiscard]] bool may_be_served(int r, double least) const;
  bool serve_next(double least);
  void serve(Offset message);
  void depart(Offset message, double no_sooner = 0);
  [[nodiscard]] Cause after(const Cause& before, int r, Cause own);
  [[nodiscard]] double latest(std::initializer_list<Cause> causes) const;
  [[nodiscard]] Start start_at_port(const Message& eager, const PairCosts& costs);
  [[nodiscard]] Start start_of_data(const Message& data, const PairCosts& costs);
  [[nodiscard]] Delayed delayed_data(const Message& data, Start& port, const PairCosts& costs);
  /// By what is in the way.
  struct Hindered {
    double until{};  ///< [s]
    Cause why{};
  };
  struct Ahead {
    Hindered port{};  ///< it leaves then
    Hindered link{};  ///< it comes no sooner; 0: nothing is there
    bool is_open{};   ///< others may slow some of these data yet, so this isn't all
  };
  void forget_under_way(Rank& sender, double by);
  [[nodiscard]] Ahead data_ahead(const Rank& sender, int to, double put) const;
  [[nodiscard]] bool is_in_line(Offset place);
  [[nodiscard]] Hindered requests_ahead(int answering, int to, double put);
  [[nodiscard]] double answer_time(const Message& asked) const;
  [[nodiscard]] double answer_takes(const Message& asked, const PairCosts& costs,
                                    double answered) const;
  [[nodiscard]] bool queues(const Message& message) const;
  [[nodiscard]] bool may_have_data_ahead(const Rank& sender, Offset request, double put) const;
  [[nodiscard]] Start start_of_request(const Message& request, Hindered& link);
  void add_under_way(Rank& sender, const UnderWay& data);
  [[nodiscard]] bool has_to_wait(Offset message, int behind, int to, double put);
  void is_under_way_no_more(const Message& data, double by, Moment since);
  void let_go_behind(int r, double time);
  [[nodiscard]] double answer_request(Message& message, const PairCosts& costs);
  void put_off(Message& message, const PairCosts& costs, double travels, const Ahead& ahead);
  void transfer(Offset message, double no_sooner = 0);
  void forget_receives(Rank& to, const PairCosts& costs, double now);
  void deliver(const Message& message, double start, double no_sooner);
  [[nodiscard]] bool keeps_ports_in_turn(const PairCosts& costs) const;
  [[nodiscard]] static Cause delivering(const Message& data, double since);
  void tell_sender(const Message& message, double sent, const Cause& sends);
  void arrive(Offset message, const PairCosts& costs, double set_off, double flight);
  void forget(Served& busy, double by);
  [[nodiscard]] Offset begun_by(const Served& busy, double from) const;
  [[nodiscard]] double first_free(const Served& busy, double from, double needs,
                                  Cause& before) const;
  void occupy(Served& busy, double from, double until, const Cause& ends);
  void take_in(Served& busy, Offset time);
  [[nodiscard]] double pass(const Served& busy, double by, double needs, Cause& before);
  void come_in(Offset message);
  // Hosts' links:
  [[nodiscard]] SharedHostLinks::Route host_route(const Message& message) const;
  [[nodiscard]] bool is_port_a_host_link(const Message& message, double port) const;
  [[nodiscard]] bool is_first_of_all(const Message& message) const;
  [[nodiscard]] Passage passage(const Served& busy, double from, double needs) const;
  void fill(Served& busy, double from, double until, const Cause& ends);
  Cause pass_host(const Message& passing, std::size_t leg, Served& busy, const Passage& taken,
                  Moment& began);
  [[nodiscard]] Delayed pass_hosts(const Message& passing, double start, Moment data, double alone);
  // Shared links:
  void set_off(Offset message, Leg leg, double time);
  [[nodiscard]] int place_of(int r) const;
  [[nodiscard]] bool asks_later(Offset a, Offset b) const;
  void ask_for_link(Offset message);
  [[nodiscard]] Offset* asking() const;
  [[nodiscard]] double first_to_ask() const;
  bool give_links(double least);
  bool pass_link(Offset message);
  void come_to_end(Offset message, double time);
  // Links that are shared fairly:
  [[nodiscard]] bool is_shared_fairly() const { return machine_.sharing != Sharing::none; }
  [[nodiscard]] Offset carrier_of_link(int sender, int receiver);
  [[nodiscard]] Offset carrier_of_hosts(int link) const;
  [[nodiscard]] Flow flow_of(Offset message);
  [[nodiscard]] Flow& flow(int number) const;
  [[nodiscard]] int add_flow(const Flow& flow);
  void remove_flow(int number);
  void begin_at(Flow flow, double soonest, double end);
  void line_up(Offset message);
  void go_among_others(Offset message, const Start& start, const Hindered& link);
  void come_in_order(int sender, int receiver);
  [[nodiscard]] Moment slowed(const Message& message, Moment at, double by, const Flow& bytes);
  [[nodiscard]] double first_of_flows() const;
  [[nodiscard]] double least_end(const Flow& flow) const;
  [[nodiscard]] double least_end_of_flows() const;
  [[nodiscard]] double first_passing(int r) const;
  bool pass_flows(double others);
  void take_batch(RankHeap& heap, double time);
  void begin_flows(double time);
  void end_flows(double time);
  void end_flow(const Flow& ended, double time);
  void join(int number);
  void leave(int number);
  void add_kept_back(const Flow& ended);
  void share_anew(double time);
  void find_shares();
  [[nodiscard]] std::span<const int> flows_on(Offset carrier) const;
  [[nodiscard]] double left_by_others(Offset carrier) const;
  bool take_in_others(Offset carrier);
  void set_share(Flow& flow, int number, double share, double time);
  // One-sided:
  void reach(Offset message);
  bool take_effects(double least);
  void take_effect(int r);
  void answer(const Message& access, double time, Moment at);
  [[nodiscard]] Offset& lock_of(int r, int context);
  void change_lock(int r, Offset message);
  void grant(int r, Lock& lock, double time);
  void end_effect(Offset operation, double time, Moment at);
  // Waiting:
  void become_known(Operation& operation, double event);
  void await(int a, std::span<const Offset> operations);
  void no_longer_await(std::span<const Offset> operations);
  void block(int a, Waiting waiting);
  [[nodiscard]] double need(const Actor& actor) const;
  [[nodiscard]] double horizon(int r) const;
  [[nodiscard]] Offset certain_message(const Actor& waiter) const;
  [[nodiscard]] double end_of_wait(const Actor& waiter) const;
  [[nodiscard]] bool is_turn(const Actor& waiter, double time) const;
  [[nodiscard]] bool is_ready(const Actor& waiter) const;
  void wake_if_ready(int r);
  void wake(int a);
  void run(Actor& woken, double time);
  [[nodiscard]] int waits_to_synchronise_with(int r, int other, int meeting) const;
  [[nodiscard]] std::string waited_for(const Actor& waiter) const;
  // Certainty:
  [[nodiscard]] double bound() const;
  [[nodiscard]] double horizon_by(double least) const;
  [[nodiscard]] bool nothing_is_undecided() const;
  void refresh(int r);
  void find_undecided();
  bool match_certain();

  Arena& arena_;
  Region& region_;
  Rank* ranks_;
  Actor* threads_;  ///< by actor, behind the ranks
  const Machine& machine_;
  Driver& driver_;
  Causes* causes_{};
  RankHeap first_decisions_;  ///< about each rank
  RankHeap first_in_queues_;
  std::vector<Processor> processors_;
  std::vector<int> hosts_;    ///< by rank, where requests queue: alike for those of one
  std::vector<int> touched_;  ///< ranks of which something has changed that may let a message go
  std::vector<Offset> skipped_;
  std::vector<int> undecided_;
  // Flows that begin or end at a time, and those whose rates are found anew:
  std::vector<int> batch_;
  std::vector<int> affected_;
  std::vector<Offset> touched_carriers_;
  FairShares shares_;
};

}  // namespace commgauge::simulate
