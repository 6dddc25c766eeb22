#pragma once

#include <span>
#include <vector>

#include "base/role.hpp"
#include "clock/clock_sync.hpp"
#include "clock/core_watch.hpp"
#include "commgauge/bench/base/options.hpp"
#include "commgauge/measurements/experiment.hpp"
#include "commgauge/measurements/quietness.hpp"
#include "messages/buffers.hpp"
#include "messages/transport.hpp"

namespace commgauge::bench {

/// One collective, one way.
struct Collective {
  Kind kind{Kind::scatter};
  int root{};
  std::span<const int> peers;  ///< in the order in which the root serves them
  Bytes size;                  ///< of each peer's message, or block
  /// All but Timing::global take every rank of the communicator.
  Timing timing{Timing::global};
  /// flat, or library: that takes every rank, too.
  Algorithms algorithms{Algorithms::flat};
  const Role* role{};  ///< this rank's, where the kind has roles
};

/// Times single repetitions of collectives. The root drives: a peer calls the matching
/// function for each call of the root's.
///
/// Timing::global: the root announces a start that is a `lead` ahead, by each peer's own clock. A
/// rank that hears of it after the start says so: then the repetition doesn't count, and the lead
/// grows.
class CollectiveTimer {
 public:
  /// @param ranks  of the communicator.
  CollectiveTimer(const Transport& transport, MessageBuffers& buffers, CoreWatch& watch, int ranks);

  /// Compares the peers' clocks with the root's. Before the first repetition with Timing::global,
  /// and again before the drift of the clocks shows.
  void synchronise_as_root(std::span<const int> peers);
  void synchronise_as_peer(int root) const;

  /// @return the time of one repetition; NaN when a rank was late, unless that is accepted.
  [[nodiscard]] double time_as_root(const Collective& collective, bool accept_late);
  void join_as_peer(const Collective& collective);

  /// Of the last repetition, as a root: see lost_share() of uses of cores. Timing::root doesn't
  /// ask the peers.
  [[nodiscard]] double lost() const { return lost_share(uses_); }

  /// Time spent between the readings of the clock so far, as a root.
  [[nodiscard]] Seconds timed() const { return {timed_}; }

 private:
  [[nodiscard]] double time_from_common_start(const Collective& collective, bool accept_late);
  [[nodiscard]] double time_after_barrier(const Collective& collective);
  void join_common_start(const Collective& collective);
  void join_after_barrier(const Collective& collective);
  void perform_as_root(const Collective& collective);
  void perform_as_peer(const Collective& collective);
  void perform(const Role& role);
  void perform_at_once(const Role& role);

  /// What a peer tells the root after a repetition.
  struct Part {
    double time_s;  ///< Timing::global: its end, by its own clock; else how long it took
    CoreUse use;
  };

  Transport transport_;
  MessageBuffers& buffers_;
  CoreWatch& watch_;
  std::size_t ranks_;
  double timed_{};
  double lead_{};  ///< between announcing a repetition and its start [s]
  double longest_lead_{};
  std::vector<ClockSync> clocks_;  ///< of all ranks, against this one's
  std::vector<ClockSync::Ping> pings_;
  std::vector<CoreUse> uses_;  ///< of the last repetition
  std::vector<MPI_Request> requests_;
};

}  // namespace commgauge::bench
