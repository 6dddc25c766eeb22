#pragma once

#include <limits>

#include "commgauge/base/units.hpp"

namespace commgauge {

/// Keeps the passes of a measurement within a time budget. All times count from the beginning of
/// the measurement, warm-up and pilot before `begin` included.
struct Pace {
  Seconds budget{std::numeric_limits<double>::infinity()};
  Seconds begin;     ///< of the first pass
  double rounds{1};  ///< of a pass
  int passes{1};     ///< as many as are asked for
  /// Rounds that were done before `begin`, when it was begun earlier: `done` counts them.
  double before{};

  /// Whether the measurement is behind: at the even pace at which all passes would end in time, it
  /// would have come further. Then few blocks of each experiment have to do.
  /// @param done  rounds of all passes, whole ones and the part of one under way.
  [[nodiscard]] bool is_behind(Seconds now, double done) const;

  /// Whether one more pass as long as those that are done ends in time. Of fewer than three, which
  /// intervals need, one is begun in any case; likewise the first since `begin`.
  /// @param done  passes.
  [[nodiscard]] bool fits_another(Seconds now, int done) const;

  /// What is left, by what was measured so far, at most up to the end of the budget; negative while
  /// too little is done to tell.
  [[nodiscard]] Seconds remaining(Seconds now, double done) const;
};

/// Passes that intervals need.
inline constexpr int fewest_passes = 3;

}  // namespace commgauge
