#pragma once

#include <vector>

#include "commgauge/base/units.hpp"
#include "commgauge/replay/run/timeline.hpp"
#include "commgauge/simulate/process/process.hpp"
#include "commgauge/simulate/world/causes.hpp"

namespace commgauge::replay {

struct RankResult {
  double end{};  ///< when the rank comes to MPI_Finalize [s]
  /// What the program itself computed, on the processors where it was recorded, undisturbed [s].
  double work{};
  simulate::Shares shares;   ///< of all threads
  double further_threads{};  ///< how long further ones were there, together [s]
  simulate::TakenInTurn in_turn;
};

/// When a call or region began or ended.
struct Mark {
  double time{};              ///< [s]
  double computing{};         ///< what the rank had computed by then, undisturbed [s]
  simulate::Moment moment{};  ///< of Options::causes, where these are kept
};

struct Result {
  double time{};  ///< until the last rank has come to its end [s]
  std::vector<RankResult> ranks;
  Timeline timeline;
  /// By rank: when each of its calls and regions began or ended, in the order of its Enter, Leave,
  /// RegionBegin and RegionEnd events.
  std::vector<std::vector<Mark>> marks;
  /// The communication matrix, by sender and receiver; pairs without messages are left out.
  std::vector<Traffic> traffic;

  Bytes largest_message;

  [[nodiscard]] double computing() const;  ///< of all ranks together [s]
  [[nodiscard]] double work() const;       ///< likewise
  /// Which share of the time is computing, of all ranks or of one of `ranks`; 0 where no time
  /// passes. With what others take of the processor, without sleeping.
  [[nodiscard]] double utilisation() const;
  [[nodiscard]] double utilisation(const RankResult& rank) const;
  /// The run's time, and that of the rank's further threads [s].
  [[nodiscard]] double whole(const RankResult& rank) const { return time + rank.further_threads; }
};

}  // namespace commgauge::replay
