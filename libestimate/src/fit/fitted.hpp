#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "commgauge/base/statistics.hpp"
#include "commgauge/base/unknown_value.hpp"
#include "commgauge/model/flatten.hpp"
#include "commgauge/model/model.hpp"
#include "commgauge/model/spread.hpp"
#include "fit/time_table.hpp"

namespace commgauge {

/// What one solution of a fit yields: parameters, and upper bounds for those that are NaN.
/// `bound` has the shape of `value`, or is left empty where a model has no bounds.
template <class Parameters>
struct Solution {
  Parameters value;
  Parameters bound;
};

/// Repeats a fit on every replicate and makes intervals of the spread.
///
/// @param solve  times → Solution<Parameters>; called once on the means, once for each replicate.
template <class Parameters, class Solve>
[[nodiscard]] Fitted<Parameters> fit_replicates(const TimeTable& table,
                                                std::span<const std::size_t> used, Solve&& solve) {
  Fitted<Parameters> fitted;
  const Replicates replicates = table.replicates(used);
  fitted.replicate_kind = replicates.kind;
  const Solution<Parameters> central = solve(table.times());
  fitted.value = central.value;
  const bool has_bounds = flatten(central.bound).size() == flatten(central.value).size();

  std::vector<std::vector<double>> values;
  for (const std::span<const double> times : replicates.times) {
    Solution<Parameters> one = solve(times);
    std::vector<double> numbers = flatten(one.value);
    if (has_bounds) {
      // Where the fit has only a bound, the bound is what is replicated.
      const std::vector<double> bounds = flatten(one.bound);
      const std::vector<double> known = flatten(central.value);
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (std::isnan(known[i])) numbers[i] = bounds[i];
      }
    }
    values.push_back(std::move(numbers));
    fitted.replicates.push_back(std::move(one.value));
  }

  std::vector<double> value = flatten(central.value);
  std::vector<double> bound =
      has_bounds ? flatten(central.bound)
                 : std::vector<double>(value.size(), std::numeric_limits<double>::quiet_NaN());
  std::vector<double> low(value.size());
  std::vector<double> high(value.size());
  std::vector<double> column(values.size());
  const SpreadRule spread_of(fitted.replicate_kind, values.size(), table.confidence());
  for (std::size_t i = 0; i < value.size(); ++i) {
    for (std::size_t r = 0; r < values.size(); ++r) column[r] = values[r][i];
    const Spread spread = spread_of(column);
    value[i] += spread.shift;
    bound[i] += spread.shift;
    low[i] = value[i] - spread.mean_half_width;
    high[i] = (std::isnan(value[i]) ? bound[i] : value[i]) + spread.mean_half_width;
  }
  fitted.value = unflatten(value, central.value);
  fitted.low = unflatten(low, central.value);
  fitted.high = unflatten(high, central.value);
  return fitted;
}

/// Joins the fits of several launches, each made for itself: launches choose their own triplets and
/// fans, and their experiments are no repetitions of one another. The value is their mean, in which
/// one that is far from the others hardly counts; a replicate is one launch. Where some launch has
/// only a bound, the whole has.
/// @pre at least two, of one shape.
template <class Parameters>
[[nodiscard]] Fitted<Parameters> join_launches(const std::vector<Fitted<Parameters>>& launches,
                                               double confidence) {
  std::vector<std::vector<double>> values;
  std::vector<std::vector<double>> highs;
  Fitted<Parameters> joined = launches.front();
  joined.replicates.clear();
  joined.replicate_kind = ReplicateKind::launches;
  joined.observations = 0;
  joined.residual = 0;
  joined.warnings.clear();
  for (const Fitted<Parameters>& launch : launches) {
    values.push_back(flatten(launch.value));
    highs.push_back(flatten(launch.high));
    joined.replicates.push_back(launch.value);
    joined.first = std::min(joined.first, launch.first);
    joined.last = std::max(joined.last, launch.last);
    joined.observations += launch.observations;
    joined.residual += launch.residual / static_cast<double>(launches.size());
    for (const Diagnostic& warning : launch.warnings) {
      if (std::ranges::find(joined.warnings, warning) == joined.warnings.end()) {
        joined.warnings.push_back(warning);
      }
    }
  }
  const std::size_t count = values.front().size();
  std::vector<double> value(count);
  std::vector<double> low(count, unknown_value);
  std::vector<double> high(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<double> known;
    bool bounded = false;
    for (std::size_t l = 0; l < launches.size(); ++l) {
      const bool has_value = !std::isnan(values[l][i]);
      bounded = bounded || (!has_value && !std::isnan(highs[l][i]));
      const double number = has_value ? values[l][i] : highs[l][i];
      if (!std::isnan(number)) known.push_back(number);
    }
    const Spread spread = SpreadRule(ReplicateKind::launches, known.size(), confidence)(known);
    const double centre = known.empty() ? unknown_value : mean(known) + spread.shift;
    const double half = spread.mean_half_width;
    value[i] = bounded ? unknown_value : centre;
    low[i] = value[i] - half;
    high[i] = centre + half;
  }
  joined.value = unflatten(value, launches.front().value);
  joined.low = unflatten(low, launches.front().value);
  joined.high = unflatten(high, launches.front().value);
  return joined;
}

}  // namespace commgauge
