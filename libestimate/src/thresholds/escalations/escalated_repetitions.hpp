#pragma once

#include <optional>
#include <vector>

#include "commgauge/thresholds/findings.hpp"
#include "thresholds/escalations/noise.hpp"
#include "thresholds/escalations/permutation_tests.hpp"
#include "thresholds/escalations/range_likelihood.hpp"

namespace commgauge {

/// Of each point, the excess over the undisturbed time [s] above which a repetition counts as
/// escalated; nothing where the point says nothing.
using ExcessLimits = std::vector<std::optional<double>>;

/// What escalated repetitions have in common; 0 where there are none.
struct TypicalEscalation {
  double excess_s{};     ///< median
  double least_ratio{};  ///< smallest excess in proportion to the undisturbed time
};

/// Which repetitions of a sweep are escalated, by the undisturbed times and the noise of its sizes:
/// those with an excess above limit_s() and above limit_ratio() in proportion. Sizes do not have
/// one limit, though, so there are several ways to count.
/// @pre the sweep has points, and outlives this
class EscalatedRepetitions {
 public:
  /// @param shortest_s  an escalation takes longer by more than this at least.
  EscalatedRepetitions(const Sweep& sweep, double shortest_s);

  [[nodiscard]] double limit_s() const { return limit_s_; }
  [[nodiscard]] double limit_ratio() const { return limit_ratio_; }

  /// Limits at sizes that tell, when such an excess is typical: half of it where it does not reach
  /// the limit, but noise neither. Where it would not show, a repetition that took longer than any
  /// noise escalated nevertheless.
  [[nodiscard]] ExcessLimits visible(double typical_s) const;
  /// Half of such an excess, at all sizes alike that show it.
  [[nodiscard]] ExcessLimits equally_visible(double typical_s) const;
  /// Such an excess in proportion to the undisturbed time, at all sizes alike but small ones that
  /// are noisier than that.
  [[nodiscard]] ExcessLimits relatively_longer_than(double ratio) const;
  /// The limit of each size counted from its own shortest repetition.
  [[nodiscard]] ExcessLimits above_own_shortest() const;

  [[nodiscard]] std::vector<Count> counted(const ExcessLimits& limits) const;
  /// @pre has_passes(sweep)
  [[nodiscard]] std::vector<Pass> passes(const ExcessLimits& limits) const;
  [[nodiscard]] TypicalEscalation typical(PointRange range) const;

 private:
  [[nodiscard]] double limit_at(std::size_t point) const;
  [[nodiscard]] double excess(std::size_t point, double time) const;
  [[nodiscard]] Count count_above(std::size_t point, double limit_s) const;
  [[nodiscard]] bool shows(std::size_t point, double typical_s) const;
  [[nodiscard]] bool is_steady(std::size_t point, double excess_s) const;

  const Sweep& sweep_;
  std::vector<double> undisturbed_s_;
  Noise noise_;
  double limit_s_{};
  double limit_ratio_{};
};

/// For every point the time above which a repetition is an escalation [s].
[[nodiscard]] std::vector<double> escalation_limits(const Sweep& sweep, const Escalations& found);

}  // namespace commgauge
