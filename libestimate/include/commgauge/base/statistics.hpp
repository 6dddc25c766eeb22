#pragma once

#include <cstddef>
#include <span>

namespace commgauge {

/// Arithmetic mean. @pre !values.empty(). @throws InputError of nothing.
[[nodiscard]] double mean(std::span<const double> values);

/// Unbiased variance (divides by n − 1). @throws InputError of fewer than two values.
[[nodiscard]] double variance(std::span<const double> values);

/// Median; of an even count the mean of the middle two. @throws InputError of nothing.
[[nodiscard]] double median(std::span<const double> values);

/// Standard deviations of normal values per median absolute deviation.
inline constexpr double deviation_per_mad = 1.4826;

/// Standard deviation by the median absolute deviation from the median: half the values may be
/// anything. @throws InputError of nothing.
[[nodiscard]] double robust_deviation(std::span<const double> values);

/// Quantile q in [0, 1] by linear interpolation (R's type 7). @throws InputError of nothing, or q
/// outside [0, 1]. (Whatever sorts its values throws InputError of a NaN, too.)
[[nodiscard]] double quantile(std::span<const double> values, double q);

/// Two-sided Student quantile: P(|t| <= x) = confidence with `dof` degrees of freedom.
/// @throws InputError  confidence outside (0, 1) or dof <= 0.
[[nodiscard]] double student_quantile(double confidence, double dof);

/// Two-sided normal quantile: P(|z| <= x) = confidence. @throws InputError  as student_quantile.
[[nodiscard]] double normal_quantile(double confidence);

/// A value with its two-sided interval. low and high are NaN where there is none.
struct Estimate {
  double value{};
  double low{};
  double high{};
  friend bool operator==(const Estimate&, const Estimate&) = default;
};

/// Whether a ratio is surely not 1; never where it has no interval.
[[nodiscard]] inline bool excludes_1(const Estimate& ratio) {
  return ratio.low > 1 || ratio.high < 1;
}

/// How an interval was made.
enum class IntervalKind {
  order_statistics,  ///< distribution-free: two of the ordered values
  student            ///< fewer values than an order-statistic interval needs
};

/// A value with its two-sided interval and the level that the interval really has.
struct LocationInterval {
  double value{};
  double low{};
  double high{};
  double level{};  ///< achieved confidence: order statistics have discrete levels only
  IntervalKind kind{};
  [[nodiscard]] double half_width() const { return (high - low) / 2; }
};

/// Fewest values from which an order-statistic interval of this confidence exists (6 at 0.95).
[[nodiscard]] std::size_t least_count_for_order_statistics(double confidence);

/// Median of values with a distribution-free interval from order statistics: the narrowest
/// symmetric pair of ranks whose level is at least `confidence`. With too few values for that,
/// a Student interval around the median, wider by sqrt(pi/2) than the mean's: exact for no
/// distribution, and no promise for skewed ones. O(n log n).
///
/// @throws InputError of fewer than two values, or confidence outside (0, 1).
[[nodiscard]] LocationInterval median_interval(std::span<const double> values, double confidence);

/// Weighted least-squares line y = intercept + slope·x.
struct Line {
  double intercept{};
  double slope{};
};
/// @pre x.size() == y.size() == weights.size(), weights > 0.
/// @throws FitError  fewer than two distinct x.
[[nodiscard]] Line fit_line(std::span<const double> x, std::span<const double> y,
                            std::span<const double> weights);

}  // namespace commgauge
