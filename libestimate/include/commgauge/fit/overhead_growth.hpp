#pragma once

#include <span>

#include "commgauge/base/statistics.hpp"
#include "commgauge/base/units.hpp"
#include "commgauge/model/model.hpp"

namespace commgauge {

/// Overhead of a message among P processes: o'(P) = o'_a + o'_b P.
struct OverheadLine {
  Seconds o_prime_a;
  Seconds o_prime_b;  ///< a process

  [[nodiscard]] Seconds at(int processes) const;
};

/// By least squares, all points alike (Mizutani, Ino, Hagihara 2004, with two points).
///
/// @param processes  P, positive; at least two distinct.
/// @param overheads  as many; overheads[i] was measured among processes[i].
/// @throws InputError  lengths differ, a P below 1, an overhead not finite.
/// @throws FitError    fewer than two distinct P.
/// @note Local and pure: no MPI.
[[nodiscard]] OverheadLine fit_overhead_growth(std::span<const int> processes,
                                               std::span<const Seconds> overheads);

/// The paper's sigma: by which fraction a round trip among the most processes takes longer than one
/// among the fewest.
///
/// @param round_trips  positive; round_trips[i] was measured among processes[i].
/// @throws InputError  lengths differ, a P below 1 or twice, a time not positive and finite.
/// @throws FitError    fewer than two P.
[[nodiscard]] double increasing_rate(std::span<const int> processes,
                                     std::span<const Seconds> round_trips);

/// Overheads of an empty message [s], with the interval in which the line itself is expected.
struct OverheadsAmong {
  Estimate sending;
  Estimate receiving;
};
/// At a number of processes, from every replicate of the fit. Without intervals (NaN) where there
/// are too few.
/// @throws InputError  confidence outside (0, 1), fewer than one process.
[[nodiscard]] OverheadsAmong overheads_among(const Fitted<OverheadGrowth>& growth, int processes,
                                             double confidence);

}  // namespace commgauge
