#pragma once

#include <vector>

#include "commgauge/base/matrix.hpp"

namespace commgauge {

/// LOM's C_i from the empty round trips of all pairs [s]: the average over all triplets of
/// T_ij = 2C_i + 2C_j, T_jk = …, T_ki = …, which is the least-squares solution, in closed form:
/// C_i = [(n−1)·S_i − S] / [2(n−1)(n−2)], S_i = Σ_j T_ij, S = Σ_{i<j} T_ij. O(n²).
/// @throws FitError  n < 3.
[[nodiscard]] std::vector<double> lom_fixed_delays(const Matrix& empty_round_trips);

}  // namespace commgauge
