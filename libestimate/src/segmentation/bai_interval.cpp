#include "segmentation/bai_interval.hpp"

#include <boost/math/tools/toms748_solve.hpp>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "base/gsl.hpp"

namespace commgauge {
namespace {

/// P(argmax > y), y >= 0, on one side of two Brownian motions with drift, in a unit of time in
/// which this side's motion has variance 1 and drift -1/2. `ratio`: this side's variance of
/// residuals over the other's. It is Bai's G on both sides (his xi/phi is the ratio on the left,
/// its inverse on the right), with exp(z^2/2) Phi(-z) written as the inverse of the hazard
/// function: the products of huge and tiny factors are gone.
double tail(double y, double ratio) {
  const double root = std::sqrt(y);
  const double both = ratio * (1 + ratio);
  const double c = (1 + 2 * ratio) / both;
  const double d = (1 + 2 * ratio) * c;
  const double terms = (d - 2 + y / 2) / gsl::normal_hazard(root / 2) -
                       c / gsl::normal_hazard((0.5 + ratio) * root) - root;
  return std::exp(-y / 8) * terms / std::sqrt(2 * std::numbers::pi);
}

/// y with tail(y, ratio) = probability. @pre 0 < probability <= tail(0, ratio)
double upper_quantile(double probability, double ratio) {
  const auto excess = [&](double y) { return tail(y, ratio) - probability; };
  if (excess(0) <= 0) return 0;  // equal but for round-off
  double beyond = 1;
  while (excess(beyond) > 0) beyond *= 2;
  std::uintmax_t iterations = 100;
  const auto [low, high] = boost::math::tools::toms748_solve(
      excess, 0.0, beyond, boost::math::tools::eps_tolerance<double>(40), iterations);
  return low + (high - low) / 2;
}

}  // namespace

double probability_at_or_before(const BreakSide& left, const BreakSide& right) {
  return left.variance / (left.variance + right.variance);
}

std::optional<BreakReach> break_reach(const BreakSide& left, const BreakSide& right,
                                      double confidence) {
  assert(left.change > 0 && right.change > 0);
  const double outside = (1 - confidence) / 2;
  const double before = probability_at_or_before(left, right);
  if (!(before > outside && before < 1 - outside)) return std::nullopt;
  const double ratio = left.variance / right.variance;
  return BreakReach{upper_quantile(outside, 1 / ratio) * (right.variance / right.change),
                    upper_quantile(outside, ratio) * (left.variance / left.change)};
}

}  // namespace commgauge
