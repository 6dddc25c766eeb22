#include "commgauge/base/statistics.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>
#include <numeric>
#include <string>
#include <vector>

#include "base/gsl.hpp"
#include "commgauge/base/error.hpp"

namespace commgauge {
namespace {

void require_count(std::span<const double> values, std::size_t least, const std::string& what) {
  if (values.size() >= least) return;
  const auto count = std::to_string(values.size());
  throw InputError("no " + what + " (it needs at least " + std::to_string(least) +
                   " values, there are " + count + "): measure more");
}

void require_confidence(double confidence) {
  if (confidence > 0 && confidence < 1) return;
  throw InputError("no confidence level " + std::to_string(confidence) +
                   " (a probability strictly between 0 and 1 is meant): give one such as 0.95");
}

std::vector<double> sorted(std::span<const double> values) {
  if (std::ranges::any_of(values, [](double v) { return std::isnan(v); }))
    throw InputError("a value is not a number (it has no place in the order): leave it out");
  std::vector<double> result(values.begin(), values.end());
  std::ranges::sort(result);
  return result;
}

double middle(const std::vector<double>& ordered) {
  const auto half = ordered.size() / 2;
  return ordered.size() % 2 == 1 ? ordered[half] : std::midpoint(ordered[half - 1], ordered[half]);
}

/// Level of [k-th smallest, k-th largest] of n values as an interval for their median.
double level_of_rank(std::size_t k, std::size_t n) {
  return 1 - 2 * gsl::fair_binomial_at_most(static_cast<unsigned>(k - 1), static_cast<unsigned>(n));
}

/// Largest k whose level is still at least `confidence`. @pre that of 1 is.
std::size_t narrowest_rank(std::size_t n, double confidence) {
  std::size_t good = 1;
  std::size_t beyond = n / 2 + 1;
  while (beyond - good > 1) {
    const auto k = std::midpoint(good, beyond);
    (level_of_rank(k, n) >= confidence ? good : beyond) = k;
  }
  return good;
}

/// The median of few Gaussian values varies by at most sqrt(pi/2) times as much as their mean.
double student_half_width(std::span<const double> values, double confidence) {
  const auto n = static_cast<double>(values.size());
  const double standard_error = std::sqrt(variance(values) / n);
  return student_quantile(confidence, n - 1) * std::sqrt(std::numbers::pi / 2) * standard_error;
}

}  // namespace

double mean(std::span<const double> values) {
  require_count(values, 1, "mean");
  return moments::mean(values);
}

double variance(std::span<const double> values) {
  require_count(values, 2, "variance");
  return moments::unbiased_variance(values);
}

double median(std::span<const double> values) {
  require_count(values, 1, "median");
  return middle(sorted(values));
}

double robust_deviation(std::span<const double> values) {
  const double middle = median(values);
  std::vector<double> distances;
  distances.reserve(values.size());
  for (const double value : values) distances.push_back(std::abs(value - middle));
  return deviation_per_mad * median(distances);
}

double quantile(std::span<const double> values, double q) {
  require_count(values, 1, "quantile");
  if (!(q >= 0 && q <= 1))
    throw InputError("no quantile " + std::to_string(q) +
                     " (it is a fraction of the values): give one from 0 to 1");
  const auto ordered = sorted(values);
  const double place = q * static_cast<double>(ordered.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const auto above = std::min(below + 1, ordered.size() - 1);
  return std::lerp(ordered[below], ordered[above], place - std::floor(place));
}

double student_quantile(double confidence, double dof) {
  require_confidence(confidence);
  if (!(dof > 0))
    throw InputError("no Student quantile (" + std::to_string(dof) +
                     " degrees of freedom leave no spread to judge by): measure more");
  if (std::isinf(dof)) return normal_quantile(confidence);
  const double x = gsl::student_upper_quantile((1 - confidence) / 2, dof);
  if (!std::isfinite(x))
    throw InputError("no Student quantile (not computable at " + std::to_string(dof) +
                     " degrees of freedom): measure more, or ask for less confidence");
  return std::max(0.0, x);
}

double normal_quantile(double confidence) {
  require_confidence(confidence);
  return gsl::normal_upper_quantile((1 - confidence) / 2);
}

std::size_t least_count_for_order_statistics(double confidence) {
  require_confidence(confidence);
  std::size_t n = 2;
  while (1 - std::exp2(1 - static_cast<double>(n)) < confidence) ++n;
  return n;
}

LocationInterval median_interval(std::span<const double> values, double confidence) {
  const auto least = least_count_for_order_statistics(confidence);
  require_count(values, 2, "interval");
  const auto ordered = sorted(values);
  const double value = middle(ordered);
  const auto n = ordered.size();
  if (n < least) {
    const double half = student_half_width(ordered, confidence);
    return {value, value - half, value + half, confidence, IntervalKind::student};
  }
  const auto k = narrowest_rank(n, confidence);
  return {value, ordered[k - 1], ordered[n - k], level_of_rank(k, n),
          IntervalKind::order_statistics};
}

Line fit_line(std::span<const double> x, std::span<const double> y,
              std::span<const double> weights) {
  assert(x.size() == y.size() && x.size() == weights.size());
  assert(std::ranges::all_of(weights, [](double w) { return w > 0; }));
  if (x.empty() || std::ranges::all_of(x, [&](double v) { return v == x.front(); }))
    throw FitError("no line (all points have the same x): measure at another size");
  const auto [intercept, slope] = gsl::weighted_line(x, y, weights);
  return {intercept, slope};
}

}  // namespace commgauge
