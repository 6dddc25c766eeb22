#pragma once

// The one place that includes GSL (GPL) and Boost.Accumulators: nothing of either is in a public
// header, and another library could take their place here.

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_fit.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_multifit.h>
#include <gsl/gsl_sf_erf.h>
#include <gsl/gsl_vector.h>

#include <boost/accumulators/accumulators.hpp>
#include <boost/accumulators/statistics/mean.hpp>
#include <boost/accumulators/statistics/stats.hpp>
#include <boost/accumulators/statistics/variance.hpp>
#include <cassert>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace commgauge::gsl {

/// While one lives, in any thread, GSL reports failure by return value; its default handler aborts
/// the process. The handler is global to the process, so callers still check their arguments first.
class QuietErrors {
 public:
  QuietErrors() {
    const std::lock_guard lock(mutex_);
    if (living_++ == 0) previous_ = gsl_set_error_handler_off();
  }
  ~QuietErrors() {
    const std::lock_guard lock(mutex_);
    if (--living_ == 0) gsl_set_error_handler(previous_);
  }
  QuietErrors(const QuietErrors&) = delete;
  QuietErrors& operator=(const QuietErrors&) = delete;

 private:
  static inline std::mutex mutex_;
  static inline int living_ = 0;
  static inline gsl_error_handler_t* previous_ = nullptr;
};

/// x with P(t > x) = tail. @pre 0 < tail < 1, dof > 0. NaN or infinite where GSL finds none.
inline double student_upper_quantile(double tail, double dof) {
  const QuietErrors quiet;
  return gsl_cdf_tdist_Qinv(tail, dof);
}

/// x with P(z > x) = tail. @pre 0 < tail < 1.
inline double normal_upper_quantile(double tail) {
  const QuietErrors quiet;
  return gsl_cdf_ugaussian_Qinv(tail);
}

/// Density over upper tail of the standard normal distribution at z >= 0; about z where z is large.
inline double normal_hazard(double z) {
  const QuietErrors quiet;
  return gsl_sf_hazard(z);
}

/// P(B <= k) for B binomial with n trials of probability 1/2.
inline double fair_binomial_at_most(unsigned k, unsigned n) {
  const QuietErrors quiet;
  return gsl_cdf_binomial_P(k, 0.5, n);
}

/// Intercept and slope of the weighted least-squares line; GSL sums around the weighted means.
/// @pre as many x as y as weights, at least two distinct x, weights > 0.
inline std::pair<double, double> weighted_line(std::span<const double> x, std::span<const double> y,
                                               std::span<const double> weights) {
  const QuietErrors quiet;
  double intercept{}, slope{}, cov00{}, cov01{}, cov11{}, chisq{};
  gsl_fit_wlinear(x.data(), 1, weights.data(), 1, y.data(), 1, x.size(), &intercept, &slope, &cov00,
                  &cov01, &cov11, &chisq);
  return {intercept, slope};
}

/// Coefficients of the weighted least-squares fit y = X c, X row after row; by singular values.
/// @pre design.size() == columns * y.size(), as many y as weights, at least as many as columns;
/// columns independent; weights > 0.
inline std::vector<double> weighted_fit(std::span<const double> design, std::span<const double> y,
                                        std::span<const double> weights) {
  const std::size_t columns = design.size() / y.size();
  assert(design.size() == columns * y.size() && y.size() == weights.size() && y.size() >= columns);
  const QuietErrors quiet;
  std::vector<double> coefficients(columns);
  std::vector<double> covariance(columns * columns);
  const auto x = gsl_matrix_const_view_array(design.data(), y.size(), columns);
  const auto w = gsl_vector_const_view_array(weights.data(), y.size());
  const auto times = gsl_vector_const_view_array(y.data(), y.size());
  auto c = gsl_vector_view_array(coefficients.data(), columns);
  auto cov = gsl_matrix_view_array(covariance.data(), columns, columns);
  double chisq{};
  const std::unique_ptr<gsl_multifit_linear_workspace, decltype(&gsl_multifit_linear_free)> work(
      gsl_multifit_linear_alloc(y.size(), columns), gsl_multifit_linear_free);
  gsl_multifit_wlinear(&x.matrix, &w.vector, &times.vector, &c.vector, &cov.matrix, &chisq,
                       work.get());
  return coefficients;
}

/// Solves A x = b for a symmetric positive definite A (Cholesky), row after row.
/// @pre matrix.size() == b.size() * b.size(). @return nothing when A is not positive definite.
inline std::optional<std::vector<double>> solve_positive_definite(std::vector<double> matrix,
                                                                  std::vector<double> b) {
  assert(!b.empty() && matrix.size() == b.size() * b.size());
  const QuietErrors quiet;
  auto a = gsl_matrix_view_array(matrix.data(), b.size(), b.size());
  auto x = gsl_vector_view_array(b.data(), b.size());
  if (gsl_linalg_cholesky_decomp1(&a.matrix) != GSL_SUCCESS) return std::nullopt;
  if (gsl_linalg_cholesky_svx(&a.matrix, &x.vector) != GSL_SUCCESS) return std::nullopt;
  return b;
}

}  // namespace commgauge::gsl

namespace commgauge::moments {

/// Arithmetic mean. @pre !values.empty()
inline double mean(std::span<const double> values) {
  namespace acc = boost::accumulators;
  acc::accumulator_set<double, acc::stats<acc::tag::mean>> set;
  for (const double value : values) set(value);
  return acc::mean(set);
}

/// Mean squared deviation, divided by n - 1: Boost's own divides by n. @pre values.size() >= 2
inline double unbiased_variance(std::span<const double> values) {
  namespace acc = boost::accumulators;
  acc::accumulator_set<double, acc::stats<acc::tag::variance>> set;
  for (const double value : values) set(value);
  const auto n = static_cast<double>(values.size());
  return acc::variance(set) * n / (n - 1);
}

}  // namespace commgauge::moments
