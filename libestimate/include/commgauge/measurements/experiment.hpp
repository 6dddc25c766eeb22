#pragma once

#include <compare>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "commgauge/base/units.hpp"

namespace commgauge {

/// What is timed. In every kind the clock is the root's own, except for collectives.
enum class Kind {
  round_trip,           ///< root sends `out` to its one peer, which answers with `back`
  one_to_k,             ///< root sends to each peer in turn (blocking), then takes the replies
  one_to_k_concurrent,  ///< root starts all sends at once, each peer answers with `back`
  k_to_one,             ///< root sends `out` to each, then takes the answers one by one (blocking)
  k_to_one_concurrent,  ///< root sends `out` to each, all answer at once with `back`
  scatter,              ///< flat, one way; global clock: start to the last receiver's end
  gather,               ///< flat, one way; global clock: start to the root's end
  send_overhead,        ///< inside one send of `out`, whose receive is posted already: o_s
  /// Inside one receive of `back`, asked for 1.2 round trips before, so that it has arrived: o_r.
  /// Until then the root makes no MPI call (Culler's way), or, in the second, keeps MPI going.
  receive_overhead,
  receive_overhead_progress,
  flood,  ///< PRTT(n, d, k): root sends `messages` of `out`, `delay` between them; one empty answer
  bcast,  ///< flat: the root sends the same `out` to each peer; clock as scatter's
  /// Along binomial_tree(), in which ranks count from the root in the order of `peers`.
  scatter_binomial,
  gather_binomial,
  bcast_binomial,
  /// Pairs at once: the peers are a receiver for the root, then a sender and its receiver each. The
  /// root tells the senders to begin, each sends `out`, each receiver answers the root with `back`.
  pairs_at_once,
  /// The root sends `out` to each peer at once, which answers with `messages` of `back` at once;
  /// until the first of all is there, or all are. Receives are posted before; what isn't waited for
  /// ends outside of the time.
  first_of_messages,
  messages_at_once,
  /// One way, on the global clock: the root and its peers, in their order, are a ring. All begin
  /// together; each sends `out` to the next and gets as much from the one before, at once. Of two
  /// ranks that is an exchange. Ends with the last rank.
  ring
};

[[nodiscard]] std::string_view to_text(Kind kind);
/// The reverse of to_text; nothing when the word is unknown.
[[nodiscard]] std::optional<Kind> parse_kind(std::string_view text);

/// Whether what is timed is one call of MPI by itself.
[[nodiscard]] bool is_overhead(Kind kind);

/// Whether Experiment::messages says something.
[[nodiscard]] bool sends_several(Kind kind);
/// Whether messages are under way at once, and the clock is read within each repetition.
[[nodiscard]] bool times_a_meeting(Kind kind);

/// One way, on a global clock: scatter, gather, bcast, flat or binomial; ring.
[[nodiscard]] bool is_collective(Kind kind);
/// Of a gather, whose clock stops with the root; that of others with the last rank.
[[nodiscard]] bool ends_at_root(Kind kind);

/// One communication experiment: who takes part, in which order, with how many bytes.
struct Experiment {
  Kind kind{};
  int root{};
  std::vector<int> peers;  ///< in the order in which the root serves them; or, in a tree, counts
  std::vector<int> reply_order;  ///< in the order in which the root takes the replies
  Bytes out;                     ///< each message from the root; in a tree, of one rank's block
  Bytes back;                    ///< each message to the root, likewise
  bool check{};                  ///< held out of every fit, to judge the models by
  int messages{1};               ///< of a flood; that meet, from each peer
  Seconds delay{};               ///< computation between two messages of a flood
  /// P: how many ranks root and peer were connected to, with themselves, when it was measured; 0:
  /// to all. Overhead may grow with it.
  int processes{};

  auto operator<=>(const Experiment&) const = default;
};

[[nodiscard]] Experiment round_trip(int root, int peer, Bytes out, Bytes back);

/// Serial one-to-two with empty replies: `fast` is served and answered first, `slow` last.
[[nodiscard]] Experiment one_to_two(int root, int fast, int slow, Bytes out);

/// The peer's message, for receive overheads; the root's, for send overheads.
[[nodiscard]] Experiment send_overhead(int root, int peer, Bytes size);
[[nodiscard]] Experiment receive_overhead(int root, int peer, Bytes size, bool progress = false);
/// From each sender to the receiver at its place; the first sender is the root. Empty answers.
/// @pre as many of both, at least one; all different
[[nodiscard]] Experiment pairs_at_once(const std::vector<int>& senders,
                                       const std::vector<int>& receivers, Bytes size);
/// Senders and receivers. @pre of Kind::pairs_at_once
[[nodiscard]] std::vector<std::pair<int, int>> pairs_of(const Experiment& at_once);
/// Their receiver is the root.
[[nodiscard]] Experiment first_of_messages(int from, int to, int messages, Bytes size);
[[nodiscard]] Experiment messages_at_once(int from, int to, int messages, Bytes size);
/// One message from each to the root. @param kind  first_of_messages or messages_at_once
[[nodiscard]] Experiment meeting_of_senders(Kind kind, const std::vector<int>& senders, int root,
                                            Bytes size);
/// One message to each from the root, with empty answers. @param kind  likewise
[[nodiscard]] Experiment meeting_of_receivers(Kind kind, int root,
                                              const std::vector<int>& receivers, Bytes size);
/// A ring of two.
[[nodiscard]] Experiment exchange(int root, int peer, Bytes size);
/// Of all `n` ranks. @param order  ring_order()'s
[[nodiscard]] Experiment ring(int root, const std::vector<int>& order, Bytes size);
/// All `n` ranks but the root, as they follow it in a ring where each rank's number is as far from
/// the next one's as the root's is from `next`. @pre that has no divisor with n
[[nodiscard]] std::vector<int> ring_order(int n, int root, int next);
[[nodiscard]] Experiment flood(int root, int peer, int messages, Seconds delay, Bytes size);

/// Flat collectives over all `n` ranks, the receivers (senders) in ascending order.
[[nodiscard]] Experiment flat_scatter(int n, int root, Bytes size);
[[nodiscard]] Experiment flat_gather(int n, int root, Bytes size);
[[nodiscard]] Experiment flat_bcast(int n, int root, Bytes size);

/// MPICH's binomial trees over all `n` ranks.
[[nodiscard]] Experiment binomial_scatter(int n, int root, Bytes size);
[[nodiscard]] Experiment binomial_gather(int n, int root, Bytes size);
[[nodiscard]] Experiment binomial_bcast(int n, int root, Bytes size);

}  // namespace commgauge
