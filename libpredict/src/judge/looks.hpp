#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "commgauge/base/unknown_value.hpp"
#include "commgauge/measurements/survey.hpp"
#include "judge/job_pairs.hpp"

namespace commgauge {

/// Logarithm of times now / the model's, of one part of them.
struct LookPart {
  double log_ratio{unknown_value};
  double sd{unknown_value};      ///< of it, by the model's replicates and the trips' scatter
  double misfit{unknown_value};  ///< what the model leaves out, as a standard deviation of it
};
enum TimeOf : std::size_t { empty_message, each_byte };
inline constexpr std::array times_of{empty_message, each_byte};

/// What the trips of a pair say.
struct Look {
  int a;
  int b;
  PairClass of;
  std::array<LookPart, 2> parts;
  double predicted_byte_s;  ///< what a byte adds by the model [s]
};

/// What the robust standard deviation of few values is multiplied by (Rousseeuw and Leroy 1987,
/// chapter 5). @pre count > 1
[[nodiscard]] inline double few_values_factor(std::size_t count) {
  return 1 + 5.0 / (static_cast<double>(count) - 1);
}

/// A look for each pair, ascending. What bytes add is as sure as the model's replicates of that
/// are: errors that empty and large messages have in common don't count twice.
/// @throws InputError  a trip is of no two ranks of the job, or takes no time; the model doesn't
///                     know a pair.
[[nodiscard]] std::vector<Look> looks_of(const JobPairs& job,
                                         const std::vector<SurveyedTrip>& trips);

/// The larger of both sizes that there are.
[[nodiscard]] Bytes large_size(const std::vector<SurveyedTrip>& trips);

}  // namespace commgauge
