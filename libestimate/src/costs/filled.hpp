#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "commgauge/costs/formulas.hpp"

namespace commgauge {

/// Parameters whose pairs were all measured.
template <class Parameters>
struct Filled {
  explicit Filled(const Parameters& parameters) : p{parameters} {}
  const Parameters& p;
  [[nodiscard]] bool is_assumed(int, int) const { return false; }
};

/// In place of what was not measured the mean of what was.
inline void fill(Matrix& matrix, double mean) {
  std::vector<double>& values = matrix.values();
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (std::isnan(values[k]) && !matrix.is_diagonal(k)) values[k] = mean;
  }
}

inline void fill_in(LogPParameters& p) {
  fill(p.L, p.mean_L);
  fill(p.o, p.mean_o);
  fill(p.g, p.mean_g);
}
inline bool is_complete(const LogPParameters& p, int i, int j) {
  return !std::isnan(p.L(i, j) + p.o(i, j) + p.g(i, j));
}

inline void fill_in(LogGpParameters& p) {
  fill(p.L, p.mean_L);
  fill(p.o, p.mean_o);
  fill(p.g, p.mean_g);
  fill(p.G, p.mean_G);
}
inline bool is_complete(const LogGpParameters& p, int i, int j) {
  return !std::isnan(p.L(i, j) + p.o(i, j) + p.g(i, j) + p.G(i, j));
}

inline void fill_in(LogGpsParameters& p) {
  fill(p.L, p.mean_L);
  fill(p.o_prime_s, p.mean_o_prime_s);
  fill(p.O_s, p.mean_O_s);
  fill(p.o_prime_r, p.mean_o_prime_r);
  fill(p.O_r, p.mean_O_r);
  fill(p.g, p.mean_g);
  fill(p.G_prime, p.mean_G_prime);
  fill(p.G, std::isnan(p.s) ? p.mean_G_prime : p.mean_G);
}
inline bool is_complete(const LogGpsParameters& p, int i, int j) {
  const bool needs_G = !std::isnan(p.s);
  return !std::isnan(p.L(i, j) + p.o_prime_s(i, j) + p.O_s(i, j) + p.o_prime_r(i, j) + p.O_r(i, j) +
                     p.g(i, j) + p.G_prime(i, j) + (needs_G ? p.G(i, j) : 0));
}

/// A pair that was measured keeps its gaps between sizes: predictions read over them.
inline bool is_complete(const PLogPParameters& p, int i, int j) { return !std::isnan(p.L(i, j)); }

/// How many pairs each of the values is of.
inline std::vector<std::int64_t> pairs_of_values(const Matrix& matrix) {
  if (matrix.classes()) return matrix.classes()->pair_counts();
  return std::vector<std::int64_t>(matrix.values().size(), 1);
}

inline void fill_whole_pairs(Matrix& matrix, const Matrix& told_by) {
  std::vector<double>& values = matrix.values();
  const std::vector<std::int64_t> pairs = pairs_of_values(matrix);
  double sum = 0;
  std::int64_t count = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (std::isnan(values[k])) continue;
    sum += static_cast<double>(pairs[k]) * values[k];
    count += pairs[k];
  }
  if (count == 0) return;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (std::isnan(told_by.values()[k]) && !matrix.is_diagonal(k)) {
      values[k] = sum / static_cast<double>(count);
    }
  }
}

inline void fill_in(PLogPParameters& p) {
  const Matrix L = p.L;
  for (std::vector<Matrix>* curve : {&p.o_s, &p.o_r, &p.g}) {
    for (Matrix& matrix : *curve) fill_whole_pairs(matrix, L);
  }
  fill_whole_pairs(p.L, L);
}

/// Of the LogP family a sample of the pairs may have been measured.
template <LogPFamily Parameters>
struct Filled<Parameters> {
  explicit Filled(const Parameters& parameters) : measured{parameters}, p{parameters} {
    fill_in(p);
  }
  const Parameters& measured;
  Parameters p;
  [[nodiscard]] bool is_assumed(int i, int j) const { return !is_complete(measured, i, j); }
};

template <class Parameters>
CostsOf<Parameters> costs_of(const Filled<Parameters>& filled, const Message& m) {
  return costs_of(filled.p, m);
}
inline LogGpsCosts costs_of(const Filled<LogGpsParameters>& filled, const Message& m) {
  return {filled.p, filled.measured, m};
}

}  // namespace commgauge
