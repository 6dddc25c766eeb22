#pragma once

#include <string>
#include <vector>

#include "commgauge/base/diagnostic.hpp"
#include "commgauge/measurements/measurements.hpp"
#include "commgauge/model/operation.hpp"

namespace commgauge {

/// A one-way operation as it was measured: a message as T(M, 0) − T(0, 0)/2 of the same pair and
/// pass, a collective or ring by the clock that all ranks share.
struct OneWayTime {
  Operation operation{};
  Algorithm algorithm{Algorithm::flat};  ///< without meaning where it is no collective
  int from{};
  int to{-1};  ///< of a ring, who comes next; −1 for collectives
  Bytes size;
  double time_s{};   ///< median over the passes; of several launches the mean over these
  double error_s{};  ///< its standard error
  /// Of each pass, or of each launch where there are several. NaN: it lacks this time.
  std::vector<double> repeats_s;
};

struct OneWayTimes {
  std::vector<OneWayTime> all;
  /// How many are left out: they are not above zero, or not in three quarters of the passes, or, of
  /// fewer than three passes, not by what their intervals hold.
  long not_measurable{};
  /// How many messages are left out whose pair has no empty round trip in any pass.
  long without_empty{};
  /// One for each reason why a time is left out, or nothing.
  [[nodiscard]] std::vector<Diagnostic> left_out() const;
};

enum class Which { checks, all };

/// Everything one way among these measurements: round trips (M, 0), collectives, and rings.
/// @param which  checks: what is kept away from every fit
[[nodiscard]] OneWayTimes one_way_times(const Measurements& measurements, Which which);

}  // namespace commgauge
