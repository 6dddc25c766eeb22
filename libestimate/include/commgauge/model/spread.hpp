#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "commgauge/model/model.hpp"

namespace commgauge {

/// That each drawn replicate of a model stands for.
[[nodiscard]] inline int passes_of(const Model& model) {
  return model.launches.empty() ? 1 : std::max(1, model.launches.front().passes);
}

/// How far the mean of replicates may be from the truth, and how far a further replicate.
struct Spread {
  double mean_half_width{};  ///< confidence interval of the mean
  double next_half_width{};  ///< prediction interval of one more replicate
  /// To be added to what was computed from the mean of all: from their mean to that of the values
  /// as they count.
  double shift{};
};

/// Makes spreads of quantities that were computed from every replicate.
///
/// One replicate among many, whatever it is, hardly moves or widens them: of four or more a value
/// further from the others than normal ones are once in 28 counts as if it were that far (Winsor's
/// rule). A further launch may be such a one, too: the prediction interval of launches takes each
/// as it is.
class SpreadRule {
 public:
  /// @param passes  that each drawn replicate stands for; without meaning for the other kinds.
  SpreadRule(ReplicateKind kind, std::size_t count, double confidence, int passes = 1);

  /// NaN when one of the values is not finite or there are fewer than two.
  /// @pre as many values as replicates.
  [[nodiscard]] Spread operator()(std::span<const double> values) const;

 private:
  ReplicateKind kind_;
  bool draws_in_;
  double limit_;        ///< of a value's distance to the others, in their standard deviations
  double mean_factor_;  ///< half width per standard deviation
  double next_factor_;
};

/// Half width h of the interval value·e^−h to value·e^h in which one more replicate of a time is
/// expected: the spread of the replicates' logarithms, for times are above zero, and skewed where
/// they scatter much. Of replicates that are not all above zero log(1 + w/value), w their own half
/// width. @pre value > 0.
[[nodiscard]] double next_log_half_width(const SpreadRule& spread_of,
                                         std::span<const double> replicates, double value);

}  // namespace commgauge
