#pragma once

#include "commgauge/simulate/world.hpp"

namespace commgauge::simulate {

/// What a world knows of one rank.
struct alignas(128) World::Rank {
  std::atomic<double> clock;
  Waiting waiting;
  bool has_met;  ///< synchronise(): the last member has come
  Offset inbox;  ///< unmatched messages, in the order of arrival (MPI's unexpected messages)
  Offset inbox_last;
  Offset posted;  ///< unmatched receives, in the order in which they were posted
  Offset posted_last;
  double pending;  ///< arrival of the first message that fits a posted receive, not yet matched
  int sent;        ///< messages
  int transfers;   ///< rendezvous messages, sent or received, that are matched and wait for ports
  Offset open_sends;          ///< rendezvous messages that aren't matched yet
  double send_free;           ///< when its port is free to send the next rendezvous message [s]
  double receive_free;        ///< and to receive the next [s]
  Offset links;               ///< to each rank that it has sent to: a hash table of Link
  std::uint32_t linked;       ///< in use of these
  std::uint32_t link_places;  ///< a power of two
  // While it waits:
  int missing;      ///< awaited operations whose end isn't known
  double first;     ///< earliest event of those that are
  double latest;    ///< and the latest
  double time;      ///< of Waiting::known
  Envelope wanted;  ///< of Waiting::message
  Offset example;   ///< one of the awaited operations
  Offset members;   ///< of synchronise(), ascending
  int member_count;
};

/// From one rank to another.
struct World::Link {
  int to;               ///< −1: a free place of the table
  double last_arrival;  ///< of the messages so far [s]
  double free;          ///< for the next rendezvous transfer [s]
};

struct World::Region {
  int ranks;
  int running;
  double look_ahead;  ///< whatever a rank does has no effect on another sooner [s]
  /// Messages that aren't in an inbox yet arrive at this time or later. It never falls: what was
  /// certain stays so.
  double horizon;
  Offset rank_states;
  Offset first_decisions;  ///< RankHeap
  Offset transfers;  ///< matched rendezvous messages that wait for ports, in the order of matching
  Offset transfers_last;
};

/// The earliest time at which a rendezvous message is over: strictly later than it was matched, if
/// only by the smallest step of a double. What a rank does next begins when its message is over. If
/// that could be at the time of matching itself, another message could be matched at that same time
/// because of it: then of two messages that are matched at one time neither could ever have its
/// ports (grant_transfer()), for each would have to wait until the other can't cause such a match.
[[nodiscard]] double after_matching(const Message& message);

}  // namespace commgauge::simulate
