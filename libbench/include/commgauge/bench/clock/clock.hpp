#pragma once

#include "commgauge/base/units.hpp"

namespace commgauge::bench {

/// The clock of every measurement: MPI_Wtime, with what it costs and how fine it is.
class Clock {
 public:
  /// Measures resolution and cost; takes about a millisecond.
  Clock();

  [[nodiscard]] static double now();

  /// Smallest step between two different readings (never MPI_Wtick, which SMPI gets wrong).
  [[nodiscard]] Seconds resolution() const { return {resolution_}; }
  /// What a pair of readings adds to what is timed between them.
  [[nodiscard]] Seconds cost() const { return {cost_}; }
  /// Shortest block in which resolution and cost are below 1 %.
  [[nodiscard]] Seconds shortest_block() const { return {100 * (resolution_ + cost_)}; }

 private:
  double resolution_{};
  double cost_{};
};

/// Returns when now() has reached `time`; yields the core meanwhile if asked to.
void wait_until(double time, bool yielding);

}  // namespace commgauge::bench
