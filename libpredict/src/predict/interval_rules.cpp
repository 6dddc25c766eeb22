#include "predict/interval_rules.hpp"

#include <algorithm>
#include <cmath>

#include "commgauge/base/unknown_value.hpp"

namespace commgauge {

Prediction IntervalRules::joined(double value, double least, double next, double residual,
                                 bool extrapolated) const {
  if (!std::isfinite(next)) {
    return {Seconds{value}, Seconds{unknown_value}, Seconds{unknown_value}, extrapolated};
  }
  const double misfit = std::isnan(residual) ? 0 : misfit_quantile_ * residual;
  const double lowest = std::fmin(least, value);  // the bound may be unknown
  if (value > 0) {
    const double factor = std::exp(std::hypot(next, misfit));
    return {Seconds{value}, Seconds{lowest / factor}, Seconds{value * factor}, extrapolated};
  }
  const double half = std::hypot(next, misfit * value);
  return {Seconds{value}, Seconds{lowest - half}, Seconds{value + half}, extrapolated};
}

Prediction IntervalRules::joined_difference(double value, double least, double next,
                                            double misfit) const {
  if (!std::isfinite(next)) {
    return {Seconds{value}, Seconds{unknown_value}, Seconds{unknown_value}};
  }
  const double half = std::hypot(next, std::isnan(misfit) ? 0 : misfit_quantile_ * misfit);
  return {Seconds{value}, Seconds{std::fmin(least, value) - half},
          Seconds{std::fmax(least, value) + half}};
}

const SpreadRule& IntervalRules::rule(ReplicateKind kind, std::size_t count) {
  const std::pair key{kind, count};
  const auto found = rules_.find(key);
  if (found != rules_.end()) return found->second;
  const SpreadRule made(kind, count, model_.confidence, passes_of(model_));
  return rules_.emplace(key, made).first->second;
}

}  // namespace commgauge
