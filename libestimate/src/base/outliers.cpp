#include "commgauge/base/outliers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "commgauge/base/statistics.hpp"

namespace commgauge {

namespace {

constexpr double robust_deviations = 30;
constexpr double least_difference = 1e-6;  ///< of the median

/// How far the value at `left_out` lies from the mean of the others, in their standard deviations,
/// which are at least `floor`.
double deleted_deviation(std::span<const double> values, std::size_t left_out, double floor) {
  std::vector<double> others(values.begin(), values.end());
  others.erase(others.begin() + static_cast<std::ptrdiff_t>(left_out));
  return std::abs(values[left_out] - mean(others)) / std::max(std::sqrt(variance(others)), floor);
}

}  // namespace

double deleted_limit(std::size_t count, double probability) {
  if (count < 3) return std::numeric_limits<double>::infinity();
  const auto n = static_cast<double>(count);
  return student_quantile(1 - probability, n - 2) * std::sqrt(n / (n - 1));
}

std::vector<bool> stand_out(std::span<const double> times_s, std::span<const double> errors_s) {
  std::vector<bool> result(times_s.size(), false);
  if (times_s.size() < 3) return result;
  const double centre = median(times_s);
  const double least = least_difference * std::abs(centre);
  const double floor = std::max(errors_s.empty() ? 0 : median(errors_s), least);
  const double scale = std::max(robust_deviation(times_s), floor);
  const double limit = deleted_limit(times_s.size(), chance_to_stand_out);
  for (std::size_t i = 0; i < times_s.size(); ++i) {
    const double distance = std::abs(times_s[i] - centre);
    result[i] = distance > robust_deviations * scale ||
                (floor > 0 && deleted_deviation(times_s, i, floor) > limit);
  }
  return result;
}

}  // namespace commgauge
