#pragma once

#include <optional>

namespace commgauge {

/// What Bai's distribution needs to know of one side of a break.
struct BreakSide {
  double variance{};  ///< of a weighted residual
  double change{};    ///< mean weighted square of the step between the two lines over this side
};

/// How far the interval reaches from an estimated break [observations].
struct BreakReach {
  double below{};
  double above{};
};

/// Probability that the estimate lies at or before the true break.
/// @pre variances >= 0, not both 0.
[[nodiscard]] double probability_at_or_before(const BreakSide& left, const BreakSide& right);

/// The asymptotic interval of a break (Bai 1997, "Estimation of a change point in multiple
/// regression models", appendix B). Nothing where the estimate lies so surely on one side of the
/// true break that the distribution has no two-sided interval.
/// @pre variances >= 0, not both 0; changes > 0; 0 < confidence < 1.
[[nodiscard]] std::optional<BreakReach> break_reach(const BreakSide& left, const BreakSide& right,
                                                    double confidence);

}  // namespace commgauge
