#pragma once

#include <string>
#include <vector>

#include "commgauge/measurements.hpp"
#include "commgauge/model.hpp"

namespace commgauge {

/// Which models, and how sure.
struct FitOptions {
  std::vector<std::string> models;  ///< empty: all that the measurements can determine
  double confidence{0.95};
};

/// Fits every model asked for, judges them on the experiments kept away from the fits, ranks them.
///
/// Intervals come from replication: every fit is repeated on each pass alone (on each launch
/// alone when several were merged), and the spread of those results, with Student's quantile,
/// gives the interval. So whatever is common to the experiments of one pass is in it.
///
/// @throws FitError  a model asked for by name can't be determined; no model can.
[[nodiscard]] Model fit(const Measurements& measurements, const FitOptions& options = {});

/// LOM's C_i from the empty round trips of all pairs [s]: the average over all triplets of
/// T_ij = 2C_i + 2C_j, T_jk = …, T_ki = …, which is the least-squares solution, in closed form:
/// C_i = [(n−1)·S_i − S] / [2(n−1)(n−2)], S_i = Σ_j T_ij, S = Σ_{i<j} T_ij. O(n²).
/// @throws FitError  n < 3.
[[nodiscard]] std::vector<double> lom_fixed_delays(const Matrix& empty_round_trips);

}  // namespace commgauge
