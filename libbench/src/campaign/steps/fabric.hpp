#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "campaign/harness.hpp"
#include "commgauge/measurements/fabric_run.hpp"
#include "timing/at_once_timer.hpp"

namespace commgauge::bench {

/// Which links hosts share is looked for with so many hosts or more.
inline constexpr int least_fabric_hosts = 4;

/// What a look at the links that hosts share takes.
struct FabricPlan {
  Bytes size;        ///< of each message
  Bytes piece;       ///< in which it is sent
  Seconds start;     ///< of an empty one
  Seconds expected;  ///< of all
  bool fits{};       ///< within the budget, on rank 0
};

/// Times rounds of messages between hosts, which rank 0 chooses; all ranks have a part in each.
class FabricRounds {
 public:
  /// @param harness  of a rank of each host, in their order
  /// @param budget   since the harness was made
  FabricRounds(Harness& harness, Seconds budget);

  /// On rank 0: a round, a few times; those that lost their core are timed again.
  /// @return nothing: cancelled, or out of time. That ends it on all ranks.
  [[nodiscard]] std::optional<FabricRound> time(std::span<const HostMessage> pairs, Bytes size,
                                                int repetitions);
  /// On the other ranks: takes part in rounds until rank 0 finishes, or all are to end.
  void follow();
  /// On rank 0. Not where time() returned nothing.
  void finish();

  /// On rank 0: from now on messages are sent in pieces of at most so many bytes.
  void send_in(Bytes piece) { piece_ = piece; }

  [[nodiscard]] long repetitions() const { return repetitions_; }
  [[nodiscard]] long lost() const { return lost_; }
  [[nodiscard]] long repeated() const { return repeated_; }

 private:
  struct Order;
  enum class Lost { dropped, kept };
  [[nodiscard]] bool is_reserved(Bytes size);
  [[nodiscard]] bool take_part(const Order& order, FabricRound& round);
  void time_batch(const Order& order, int count, Lost lost, FabricRound& round);
  void take(std::vector<double> times_s, bool is_lost, Lost lost, FabricRound& round);

  Harness& harness_;
  Seconds budget_;
  AtOnceTimer timer_;
  Bytes piece_{std::numeric_limits<std::uint64_t>::max()};
  long repetitions_{};
  long lost_{};
  long repeated_{};
};

/// Collective: what a look would take, by a few messages of some hosts.
/// @param budget  since the harness was made
[[nodiscard]] FabricPlan plan_fabric(Harness& harness, Seconds budget);

/// Looks for the links that hosts share. Collective. Where the time budget is too short, or times
/// are none, it says so in FabricRun::left_out.
/// @param harness  of a rank of each host, in their order; at least least_fabric_hosts
/// @return on rank 0; elsewhere nothing.
/// @throws FitError  on every rank: cancelled.
[[nodiscard]] FabricRun measure_fabric(Harness& harness, std::vector<std::string> hosts,
                                       Seconds budget);

}  // namespace commgauge::bench
