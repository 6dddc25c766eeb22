#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "commgauge/replay/explain/whereabouts.hpp"
#include "commgauge/replay/run/result.hpp"

namespace commgauge::replay {

/// [s]; NaN: not known
struct Interval {
  double low{std::numeric_limits<double>::quiet_NaN()};
  double high{std::numeric_limits<double>::quiet_NaN()};
};

/// What the run would take if one thing were mended.
struct Answer {
  enum class Kind : std::uint8_t {
    wait,          ///< one message's, or one rank's: its receiver or sender goes on without it
    call_site,     ///< all of one call of MPI in one region; of one site, where sites are known
    region,        ///< all within one region
    rank,          ///< all of one rank
    balance,       ///< a region's computing is divided evenly
    domino_path,   ///< all waits of one
    all_waits,     ///< nobody waits for a message
    all_balanced,  ///< all computing is divided evenly
    both           ///< the last two
  };
  Kind kind{};
  std::string title;   ///< "Rank 3 waits at MPI_Recv for a message of rank 0 at 0.80 s"
  std::string advice;  ///< what to do about it
  Whereabouts where;
  double time{};                      ///< of the run then
  double gain{};                      ///< how much less that is, > 0
  Interval time_interval{};           ///< of the first ones
  Interval gain_interval{};           ///< of the gain by each replicate, not of the two times
  std::optional<double> confirmed{};  ///< `time` by a replay in which the receiver doesn't wait
  /// When calls and regions would begin and end, as walked_marks() tells it, of the first
  /// ExplanationOptions::most_afters answers that are no bounds and differ in their time; else it
  /// is empty.
  std::vector<std::vector<Mark>> marks{};
};

/// Whether it is nothing to do, but how much there is to gain at most.
[[nodiscard]] constexpr bool is_bound(Answer::Kind kind) {
  return kind == Answer::Kind::all_waits || kind == Answer::Kind::all_balanced ||
         kind == Answer::Kind::both;
}

/// As files have it: "call_site".
[[nodiscard]] std::string to_text(Answer::Kind kind);

}  // namespace commgauge::replay
