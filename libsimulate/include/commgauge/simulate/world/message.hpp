#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

#include "commgauge/simulate/world/arena.hpp"
#include "commgauge/simulate/world/causes.hpp"

namespace commgauge::simulate {

inline constexpr double never = std::numeric_limits<double>::infinity();
/// As source or tag of a receive: any (MPI_ANY_SOURCE, MPI_ANY_TAG).
inline constexpr int wildcard = std::numeric_limits<int>::min();

/// Contexts of partitions, and of what is told of them, are from here on (partitioned.hpp).
inline constexpr int first_partition_context = 1 << 29;
/// Contexts of windows' own messages are from here on.
inline constexpr int first_window_context = 1 << 30;

/// What messages and receives are matched by: a message's own, or what a receive asks for.
struct Envelope {
  int context{};  ///< communicator, and whether the program's messages or its collectives' own
  int source{};   ///< rank of the job; of a receive also `wildcard`
  int tag{};      ///< of a receive also `wildcard`
};
[[nodiscard]] inline bool matches(const Envelope& message, const Envelope& wanted) {
  return message.context == wanted.context &&
         (wanted.source == wildcard || wanted.source == message.source) &&
         (wanted.tag == wildcard || wanted.tag == message.tag);
}

/// Of a message on shared links: what travels.
enum class Leg : std::uint8_t {
  data,
  request,  ///< of a rendezvous, to the receiver
  reply     ///< of a rendezvous, to the sender
};

/// What a message does that nobody receives (one-sided communication): it reaches its receiver's
/// memory, or a lock of that.
enum class Effect : std::uint8_t { none, access, shared_lock, exclusive_lock, unlock };
/// As the size of what goes back to the sender of such a message: nothing does.
inline constexpr std::uint64_t no_answer = std::numeric_limits<std::uint64_t>::max();

/// Where links are shared fairly: how far a message is among those of its pair.
enum class Progress : std::uint8_t {
  waits,  ///< for those before it, or for the time when its bytes begin
  shares,
  over  ///< but those before it may still be under way
};

/// A message under way, or arrived and not yet received.
struct Message {
  Offset next{};  ///< at the same receiver, in the order of arrival
  Envelope envelope;
  int receiver{};
  bool rendezvous{};  ///< protocol: else eager
  int number{};       ///< among its sender's
  double start{};     ///< the sender's call began; later if it waited for port or link [s]
  double arrival{};   ///< of an eager message, or of a rendezvous's request [s]
  double end{};       ///< of an eager one: when a receiver that was waiting has received it [s]
  double receive_overhead{};  ///< [s]
  double gap{};               ///< PairCosts::gap [s]
  double port{};              ///< PairCosts::port [s]
  double longer{};            ///< TakenInTurn::behind of its sender [s]
  double late{};              ///< Jitter, of the message or its request [s]
  double answer_late{};       ///< likewise of the answer to a request [s]
  bool has_port{};            ///< of the receiver's own; otherwise its host's link is the port
  std::uint64_t size{};       ///< [bytes]
  Offset payload{};           ///< 0: none
  /// Of a rendezvous: the send's operation, over with the transfer. Of one with an effect: the
  /// sender's.
  Offset sender{};
  Effect effect{};
  std::uint64_t answer{no_answer};  ///< to an access [bytes]
  Offset next_open{};               ///< of a rendezvous: of the same sender, not yet matched
  // While it waits for ports:
  Offset next_received{};  ///< in the receiver's queue; `next` is the one of the sender's
  /// Since when: it was sent; a rendezvous's receive was posted and its request had arrived. On
  /// shared links when it asks for the next one [s].
  double queued{};
  double ready{};    ///< its bytes start, if ports and link are free, or an eager one's call [s]
  bool held{};       ///< it is in no inbox yet
  double behind{};   ///< of a rendezvous: eager messages before it on its link have arrived [s]
  Offset receive{};  ///< of a rendezvous that is matched
  // On shared links:
  int at{};  ///< the processor that it has come to
  Leg leg{};
  // Where links are shared fairly:
  Progress progress{};
  double unhindered{};  ///< when its bytes would have passed if no others slowed them [s]
  double data_start{};  ///< of a rendezvous: its data leave then [s]
  // Where causes are kept:
  std::uint32_t id{};   ///< its number there
  Moment sent{};        ///< at the first `start`
  Moment arrived{};     ///< at `arrival`
  Moment is_ready{};    ///< at `ready`
  Moment was_behind{};  ///< at `behind`
};

/// A receive, a rendezvous send, or an effect on another rank's memory, that isn't over.
struct Operation {
  Offset next{};  ///< receives of one rank, in the order in which they were posted
  Envelope wanted;
  double posted{};            ///< [s]
  int owner{};                ///< the actor that waits for it; at first of its rank the first
  bool is_send{};             ///< `wanted.source` is the receiver then
  Effect effect{};            ///< likewise
  bool awaited{};             ///< an actor waits for it
  bool is_shared{};           ///< several have, or do: all of the rank
  std::atomic<bool> known{};  ///< whether `event` and `message` are
  /// When it is over [s]; of an eager message its arrival: the receive overhead follows.
  double event{};
  Offset message{};     ///< of a receive
  Moment was_posted{};  ///< at `posted`, where causes are kept
  Moment is_over{};     ///< at `event`
};

struct Sending {
  int to{};
  int context{};
  int tag{};
  std::uint64_t size{};  ///< [bytes]
  Offset payload{};
  double start{};   ///< [s]
  double longer{};  ///< TakenInTurn::behind [s]
  bool rendezvous{};
  Effect effect{};
  std::uint64_t answer{no_answer};
  // Where causes are kept:
  Moment at{};         ///< `start`
  std::uint32_t id{};  ///< its number there
};

}  // namespace commgauge::simulate
