#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace commgauge {

/// How far from the mean of the others, in standard deviations of the others, one of `count` values
/// lies with this probability if all are normal: t·√(n/(n − 1)) with n − 2 degrees of freedom.
/// 5.6 for one of 8 at 0.002. Infinite for fewer than three.
[[nodiscard]] double deleted_limit(std::size_t count, double probability);

/// How often a time stands out though all are normal.
inline constexpr double chance_to_stand_out = 0.002;

/// Which of several repetitions of one measurement are no repetitions of it: whatever disturbed
/// them, they say nothing of the others.
///
/// A value stands out if it lies further from the mean of the others than normal values do once in
/// 500 (deleted_limit), or 30 robust standard deviations from the median: the first finds one, the
/// second several at once. A standard deviation counts as at least the median of `errors_s` and
/// 1e-6 of the median: values that agree by chance make no other stand out.
///
/// @param times_s   a time of each repetition; of fewer than three none stands out
/// @param errors_s  the standard error of each, as its own repetitions tell it, or nothing
/// @returns one answer for each time
[[nodiscard]] std::vector<bool> stand_out(std::span<const double> times_s,
                                          std::span<const double> errors_s = {});

}  // namespace commgauge
