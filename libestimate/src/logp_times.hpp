#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "commgauge/model.hpp"

namespace commgauge {

/// One-way times [s] of k bytes from i to j, both ready at once. NaN where the pair was not
/// measured.
[[nodiscard]] inline double one_way(const LogPParameters& p, int i, int j) {
  return p.L(i, j) + 2 * p.o(i, j);
}

[[nodiscard]] inline double one_way(const LogGpParameters& p, int i, int j, double k) {
  return p.L(i, j) + 2 * p.o(i, j) + p.G(i, j) * k;
}

/// Above the eager limit the sender first asks the receiver, which answers: o and L for each.
/// Where the way back was not measured it is taken to cost the same.
[[nodiscard]] inline double one_way(const LogGpsParameters& p, int i, int j, double k,
                                    std::optional<Bytes> eager_limit) {
  const double small = std::isnan(p.s) ? k : std::min(k, p.s);
  const double message = p.o_prime_s(i, j) + p.O_s(i, j) * k + p.L(i, j) +
                         p.G_prime(i, j) * small + p.G(i, j) * (k - small) + p.o_prime_r(i, j) +
                         p.O_r(i, j) * k;
  if (!eager_limit || k <= static_cast<double>(eager_limit->value)) return message;
  const double request = p.o_prime_s(i, j) + p.L(i, j);
  const double answer = p.o_prime_s(j, i) + p.L(j, i);
  return request + (std::isnan(answer) ? request : answer) + message;
}

}  // namespace commgauge
