#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "commgauge/simulate/world/world.hpp"

namespace commgauge::simulate {

/// When a port or a link is busy with messages.
struct World::Served {
  Offset times;  ///< Occupancy: ascending, apart from one another
  Offset last;   ///< of them; of a host's link not used
  Cause before;  ///< when the last one that is left out ended
};

/// What a world knows of one actor: a rank's first thread, or a further one. Zero: there is none.
struct World::Actor {
  std::atomic<double> clock;
  Waiting waiting;
  bool has_met;  ///< synchronise(): the last member has come
  int rank;
  int number;      ///< among its rank's, in the order in which they began
  int next;        ///< of the rank's further ones; 0: none
  double follows;  ///< when it left a meeting, or was woken beside another: that goes first [s]
  int behind;      ///< 1: others then; 2: those that left a meeting, too
  // While it waits:
  int missing;      ///< awaited operations whose end isn't known
  double first;     ///< earliest event of those that are
  double latest;    ///< and the latest
  double time;      ///< of Waiting::known and Waiting::turn
  Envelope wanted;  ///< of Waiting::message
  Offset example;   ///< one of the awaited operations
  Offset members;   ///< of synchronise(), ascending
  int member_count;
  int meeting;  ///< number of it
  Moment came;  ///< to synchronise(), and when all had
};

/// What bytes under way share: the link of a pair, a port, a link of a host. Zero: nothing is under
/// way there.
struct World::Carrier {
  Offset flows;  ///< their numbers, in the order in which they began
  std::uint32_t count;
  std::uint32_t places;
  int number;  ///< 1 + its place in shares_ while rates are found, else 0
};

/// The bytes of one message under way, on a machine where messages share what they pass. As long
/// as nothing slows them they end at `end`, to the bit; that only ever becomes later.
struct World::Flow {
  struct Use {
    Offset carrier;
    double per_byte;  ///< [s]
  };
  static constexpr int most_uses = 3 + SharedHostLinks::Route::most_legs;
  Offset message;       ///< 0: an unused one
  std::uint64_t added;  ///< how many were before
  double alone;         ///< [s]
  double most;          ///< the rate then [bytes/s]
  double begins;        ///< [s]
  double since;         ///< it has had its share [s]
  double share;         ///< of that rate
  double end;           ///< if it had the full rate from `since` on [s]
  double passes;        ///< when it ends by what is known now [s]
  Offset bottleneck;    ///< the carrier that keeps it from more; 0: none does
  Offset slowed_by;     ///< the last one that has; 0: none has
  int number;  ///< 1 + its place in affected_ while rates are found, else 0; −1: to be found, too
  int next_unused;  ///< 1 + its number; 0: none
  int uses;
  std::array<Use, most_uses> use;

  [[nodiscard]] std::span<const Use> all_uses() const {
    return {use.data(), static_cast<std::size_t>(uses)};
  }
  /// What the carrier needs for a byte [s]. @pre it is one of these
  [[nodiscard]] double per_byte_on(Offset carrier) const {
    std::size_t u = 0;
    while (use[u].carrier != carrier) ++u;
    return use[u].per_byte;
  }
};

/// What a world knows of one rank.
struct alignas(128) World::Rank {
  Actor first_thread;
  int threads;      ///< the latest of the further ones; 0: none
  int next_number;  ///< of the actor that begins next
  Offset inbox;     ///< unmatched messages, in the order of arrival (MPI's unexpected messages)
  Offset inbox_last;
  Offset posted;  ///< unmatched receives, in the order in which they were posted
  Offset posted_last;
  double pending;     ///< arrival of the first message that fits a posted receive, not yet matched
  int sent;           ///< messages
  int transfers;      ///< of rendezvous data, sent or received, under way on shared links
  Offset queue;       ///< its messages that wait for ports, sent and received, by World::precedes
  Offset added_last;  ///< of these the one that was added last, if it is still there, or 0
  int departing;      ///< of these sent by it
  int held;           ///< of those eager messages and requests, which are in no inbox yet
  Offset open_sends;  ///< rendezvous messages that aren't matched yet
  Offset open_sends_last;
  /// When its port sends. Eager messages that found it free and nothing waiting are left
  /// out: what comes later starts when they are over.
  Served sends;
  Served receives;            ///< when it receives the data of rendezvous messages
  Offset under_way;           ///< UnderWay, in the order in which they were served
  Offset last_under_way;      ///< if there is one
  Offset behind_data;         ///< messages that wait until it is known when some of these have left
  int waits_to_send;          ///< rendezvous data of its own whose answer is among such messages
  Offset links;               ///< to each rank that it has sent to: a hash table of Link
  std::uint32_t linked;       ///< in use of these
  std::uint32_t link_places;  ///< a power of two
  // One-sided communication:
  int windows;           ///< in which others reach its memory
  Offset effects;        ///< messages that have come, or will, in the order of arrival
  double effects_free;   ///< when its port can pass the next of them [s]; −∞: none has passed
  Moment passed_effect;  ///< at `effects_free`
  Offset accesses;       ///< of these whose time has come: for take_access()
  Offset last_access;
  Offset locks;      ///< Lock, of its windows
  int open_effects;  ///< operations of its own that aren't over
  std::uint64_t known_ends;
};

/// Of a rank's window: who has it, who waits for it.
struct World::Lock {
  Offset next;
  int context;
  int holders;
  bool is_exclusive;
  Offset waiting;  ///< messages, in the order of arrival
};

template <class Use>
void World::for_each_actor(int r, Use&& use) const {
  use(ranks_[r].first_thread);
  for (int a = ranks_[r].threads; a != 0;) {
    Actor& thread = actor(a);
    a = thread.next;
    use(thread);
  }
}

template <class Holds>
bool World::all_actors(int r, Holds&& holds) const {
  if (!holds(ranks_[r].first_thread)) return false;
  for (int a = ranks_[r].threads; a != 0; a = actor(a).next) {
    if (!holds(actor(a))) return false;
  }
  return true;
}

/// Data of a rendezvous message, as the answers of their sender find them.
struct World::UnderWay {
  Offset next;     ///< a later one, or 0
  int to;          ///< their receiver
  double entered;  ///< they ask for their sender's port; what was put there before goes before [s]
  double leaves;   ///< the port [s]
  double arrives;  ///< at the end of the link; 0: it carries others at the same time [s]
  Offset open;     ///< their message, as long as others may slow its bytes; 0: all is known
  bool shares_port;
  Cause left;  ///< why then
  Cause arrived;
};

/// From one rank to another.
struct World::Link {
  int to;               ///< −1: a free place of the table
  double last_arrival;  ///< of eager messages and requests so far [s]
  double last_eager;    ///< of eager messages so far [s]
  /// When it is busy with data of rendezvous messages, and with eager ones that came behind such.
  Served data;
  Moment at_last_arrival;
  Moment at_last_eager;
  // Where links are shared fairly:
  Offset carrier;  ///< 0: nothing has passed it so
  Offset coming;   ///< its eager messages and requests that aren't there yet, in their order
  Offset last_coming;
};

/// A time in which a port or a link serves a message; next: a later one, or 0.
struct World::Occupancy {
  Offset next;
  double from;   ///< [s]
  double until;  ///< [s]
  Cause ends;    ///< why then
};

/// When a shared link has served all that it was given to.
struct World::Given {
  double until;  ///< [s]
  Cause ends;    ///< why then
};

struct World::Region {
  int ranks;
  int running;
  double look_ahead;  ///< whatever a rank does has no effect on another sooner [s]
  /// Messages that aren't in an inbox yet arrive at this time or later. It never falls: what was
  /// certain stays so.
  double horizon;
  /// Nothing that isn't known yet happens before: the latest bound [s].
  double bound;
  Offset rank_states;
  Offset threads;  ///< Actor: of each rank's further ones as many
  int threads_per_rank;
  int last_thread;         ///< behind all that there are [actor]
  Offset first_decisions;  ///< RankHeap
  Offset first_in_queues;  ///< RankHeap: when the first message of a rank's queue came there
  double look_back;        ///< look_back() of the machine [s]
  Offset host_links;       ///< Served, by the machine's links of hosts
  // Where links are shared:
  Offset links_given;  ///< by link: Given
  Offset asking_heap;  ///< messages under way, by the time at which they ask for the next link
  std::uint32_t asking;
  std::uint32_t asking_places;
  // Where links are shared fairly:
  Offset carriers;  ///< of ports, out and in by rank; then of hosts' links
  Offset flows;     ///< Flow, by number
  int flow_places;
  int unused_flow;            ///< 1 + the first that is free for use; 0: none
  int flows_left;             ///< that have not ended
  std::uint64_t flows_added;  ///< since the beginning
  Offset flow_begins;         ///< RankHeap by flow: when those begin that haven't
  Offset flow_ends;           ///< likewise: when those end that have, by what is known now
};

/// The earliest time at which a message that waits for ports has an effect: strictly later than it
/// came there, if only by the smallest step of a double. What a rank does next begins when its
/// message is over. If that could be at the time of matching itself, another message could be
/// matched at that same time because of it: then of two messages that are matched at one time
/// neither could ever have its ports (serve_next()), for each would have to wait until the other
/// can't cause such a match.
[[nodiscard]] double after_queueing(const Message& message);

/// From a message's start until it arrives, or its request does [s].
[[nodiscard]] inline double flight_of(const PairCosts& costs, bool rendezvous, double size) {
  return rendezvous ? costs.request_arrival(size) : costs.arrival.at(size);
}

}  // namespace commgauge::simulate
