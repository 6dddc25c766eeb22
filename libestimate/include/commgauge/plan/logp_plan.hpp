#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "commgauge/measurements/experiment.hpp"
#include "commgauge/plan/rounds.hpp"

namespace commgauge {

/// Whether one of these models takes overheads and floods.
[[nodiscard]] bool wants_logp(std::span<const std::string> models);
/// Whether one of them takes round trips of as many sizes as tell how times bend.
[[nodiscard]] bool wants_curve(std::span<const std::string> models);

/// Of which pairs.
enum class LogPPairs {
  one,     ///< ranks 0 and 1
  sample,  ///< as many as are disjoint: ranks 0 and n−1 and so on, one round
  all
};
/// Unordered, one round of disjoint pairs after the other. @throws InputError  n < 2.
[[nodiscard]] std::vector<Pair> logp_pairs(int n, LogPPairs which);

/// How the LogP family's experiments are measured.
struct LogPPlan {
  std::vector<Bytes> round_trips;  ///< ascending, above 0
  std::vector<Bytes> overheads;    ///< ascending
  std::vector<Bytes> floods;       ///< ascending, each 0 or one of the round trips
  int flood_messages{16};          ///< of small messages; large ones are fewer: see flood_of
  Seconds delay;                   ///< between messages of the cross-check's flood
  bool progress{};                 ///< MPI is kept going while a message is waited for
};

/// Round trips to begin with: steps of four from 1 byte to `largest`, and both sides of the eager
/// limit.
[[nodiscard]] std::vector<Bytes> first_round_trips(std::optional<Bytes> eager_limit, Bytes largest);

/// Where linear interpolation between the neighbours misses a size's time by more than
/// `tolerance` of it: the middles (geometric) of the gaps beside it. Never inside the step from the
/// eager limit to the next byte; none closer than an eighth. Sorted, at most `most`, the worst
/// first if there are more. Empty: done.
/// @param sizes  ascending. @param times  as many [s].
[[nodiscard]] std::vector<Bytes> refine_round_trips(std::span<const Bytes> sizes,
                                                    std::span<const Seconds> times,
                                                    std::optional<Bytes> eager_limit,
                                                    double tolerance, std::size_t most);

/// Overheads: none and up to six sizes to the eager limit, the limit itself, the byte beyond it
/// and two steps above. Floods: none, and the round trips up to 256 KiB. Of both only what is
/// affordable, and one step above the limit in any case.
/// @param affordable  largest size that many messages may have
[[nodiscard]] LogPPlan plan_logp(std::vector<Bytes> round_trips, std::optional<Bytes> eager_limit,
                                 Bytes affordable = {256 << 10});

/// Largest size up to 256 KiB whose round trip takes up to 20 ms; the smallest where none does.
/// @param sizes  ascending, not empty. @param times  as many
[[nodiscard]] Bytes affordable_size(std::span<const Bytes> sizes, std::span<const Seconds> times);

/// PRTT(n, 0, k): as many messages as the plan has, fewer where they would be over 32 KiB
/// together, but three.
[[nodiscard]] Experiment flood_of(const LogPPlan& plan, int root, int peer, Bytes size);

/// From i to j: all but the round trips, in the order in which they are measured.
[[nodiscard]] std::vector<Experiment> logp_experiments(const LogPPlan& plan, int i, int j);

/// Round trip and overheads of one byte between ranks 0 and 1 while connected among P.
[[nodiscard]] std::vector<Experiment> growth_experiments(int processes, bool progress);
/// P = 2, 4, 8, … n. Fewer than two steps: nothing to measure.
[[nodiscard]] std::vector<int> growth_steps(int n);

}  // namespace commgauge
