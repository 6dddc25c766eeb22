#pragma once

#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "commgauge/model/spread.hpp"
#include "commgauge/predict/query.hpp"
#include "predict/prediction_rules.hpp"

namespace commgauge {

/// What the intervals of one model file's predictions need, worked out once.
class IntervalRules {
 public:
  explicit IntervalRules(const Model& model)
      : model_{model}, misfit_quantile_{normal_quantile(model.confidence)} {}

  /// Logarithmic half width for one more replicate, of what predict_by(k) says by the k-th; where
  /// `value` is not above zero the half width itself.
  template <class PredictBy>
  [[nodiscard]] double next_half_width(ReplicateKind kind, std::size_t count, double value,
                                       PredictBy&& predict_by) {
    values_.clear();
    for (std::size_t k = 0; k < count; ++k) {
      // A launch may lack a pair that others have.
      const double one = predict_by(k);
      if (std::isfinite(one)) values_.push_back(one);
    }
    const SpreadRule& spread_of = rule(kind, values_.size());
    return value > 0 ? next_log_half_width(spread_of, values_, value)
                     : spread_of(values_).next_half_width;
  }

  /// @param next      as next_half_width() returns it
  /// @param residual  relative; NaN, as of a fit with nothing to spare, which warns of that:
  ///                  unknown.
  /// @return without an interval where `next` is not known.
  [[nodiscard]] Prediction joined(double value, double least, double next, double residual,
                                  bool extrapolated) const;
  /// Of a value that may be below zero. @param next  as next_half_width() returns it for such
  /// @param misfit  by how much the model's residual changes it
  [[nodiscard]] Prediction joined_difference(double value, double least, double next,
                                             double misfit) const;

 private:
  const SpreadRule& rule(ReplicateKind kind, std::size_t count);

  const Model& model_;
  double misfit_quantile_;
  std::map<std::pair<ReplicateKind, std::size_t>, SpreadRule> rules_;
  std::vector<double> values_;
};

}  // namespace commgauge
