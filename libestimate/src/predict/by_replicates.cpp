#include "commgauge/predict/by_replicates.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "commgauge/model/model_list.hpp"
#include "predict/interval_rules.hpp"

namespace commgauge {

namespace {

/// What makes a model's times: its parameters, those above the eager limit, growth of overheads.
bool belongs(const FitFacts& fit, const FitFacts& model) {
  return fit.model == model.name || (fit.name == "overhead_growth" && model.has_overheads());
}

/// Fits whose replicates vary together: as many, of one kind.
struct Group {
  ReplicateKind kind{};
  std::size_t count{};
  friend bool operator==(const Group&, const Group&) = default;
};

/// Calls use(fit) with each fit that makes the model's times, and its group. `M` may be const.
template <class M, class Use>
void for_each_part(M& model, const std::string& name, Use&& use) {
  const FitFacts of = facts_of(name);
  const auto visit = [&](const FitFacts& facts, auto& fitted) {
    if (!fitted || !belongs(facts, of)) return;
    use(*fitted, Group{fitted->replicate_kind, fitted->replicates.size()});
  };
  for_each_fit(visit, model);
}

std::vector<Group> groups_of(const Model& model, const std::string& name) {
  std::vector<Group> groups;
  for_each_part(model, name, [&](const auto&, const Group& group) {
    if (std::ranges::find(groups, group) == groups.end()) groups.push_back(group);
  });
  return groups;
}

Model with_replicate(const Model& model, const std::string& name, const Group& group,
                     std::size_t k) {
  Model one = model;
  for_each_part(one, name, [&](auto& fitted, const Group& own) {
    if (own == group) fitted.value = fitted.replicates[k];
  });
  return one;
}

bool is_bounded(const std::vector<double>& values) {
  return std::ranges::any_of(values, [](double value) { return std::isnan(value); });
}

/// Whether some parameters are only bounded; predictions take these at the bound.
bool is_bounded(const Model& model, const std::string& name) {
  return name == "bottleneck" && model.bottleneck &&
         (is_bounded(model.bottleneck->value.s) || is_bounded(model.bottleneck->value.r));
}

Model without_bounds(const Model& model) {
  Model least = model;
  for (auto* const bounds : {&least.bottleneck->high.s, &least.bottleneck->high.r}) {
    std::ranges::fill(*bounds, 0.0);
  }
  return least;
}

}  // namespace

namespace {

/// Relative; NaN: unknown.
double residual_of(const Model& model, const std::string& name) {
  double residual = std::numeric_limits<double>::quiet_NaN();
  for_each_part(model, name, [&](const auto& fitted, const Group&) {
    residual = std::fmax(residual, fitted.residual);
  });
  return residual;
}

}  // namespace

TimesAndDifferences<Prediction> predict_all_by_replicates(
    const Model& model, const std::string& name,
    const std::function<TimesAndDifferences<double>(const Model&)>& values,
    const std::function<TimesAndDifferences<double>(double)>& slower) {
  using Values = TimesAndDifferences<double>;
  IntervalRules rules(model);
  const Values central = values(model);
  const Values least = is_bounded(model, name) ? values(without_bounds(model)) : central;
  TimesAndDifferences<double> next{std::vector<double>(central.times.size()),
                                   std::vector<double>(central.differences.size())};
  for (const Group& group : groups_of(model, name)) {
    std::vector<Values> replicates;
    for (std::size_t k = 0; k < group.count; ++k) {
      replicates.push_back(values(with_replicate(model, name, group, k)));
    }
    for (std::size_t i = 0; i < next.times.size(); ++i) {
      const auto by = [&](std::size_t k) { return replicates[k].times[i]; };
      next.times[i] = std::hypot(
          next.times[i], rules.next_half_width(group.kind, group.count, central.times[i], by));
    }
    for (std::size_t i = 0; i < next.differences.size(); ++i) {
      const auto by = [&](std::size_t k) { return replicates[k].differences[i]; };
      next.differences[i] =
          std::hypot(next.differences[i], rules.next_half_width(group.kind, group.count, 0, by));
    }
  }
  const double residual = residual_of(model, name);
  const bool has_slower = slower && residual > 0;
  const Values slow = has_slower ? slower(1 + residual) : central;
  TimesAndDifferences<Prediction> all;
  for (std::size_t i = 0; i < central.times.size(); ++i) {
    const double value = central.times[i];
    const double misfit =
        has_slower && value > 0 ? std::max(0.0, std::log(slow.times[i] / value)) : residual;
    all.times.push_back(rules.joined(value, least.times[i], next.times[i], misfit, false));
  }
  for (std::size_t i = 0; i < central.differences.size(); ++i) {
    const double value = central.differences[i];
    const double misfit = has_slower ? slow.differences[i] - value : residual * value;
    all.differences.push_back(
        rules.joined_difference(value, least.differences[i], next.differences[i], misfit));
  }
  return all;
}

Prediction predict_by_replicates(const Model& model, const std::string& name,
                                 const std::function<double(const Model&)>& time,
                                 const std::function<double(double)>& slower) {
  const auto only = [](double one) { return TimesAndDifferences<double>{{one}, {}}; };
  const auto times = [&](const Model& one) { return only(time(one)); };
  std::function<TimesAndDifferences<double>(double)> slower_times;
  if (slower) slower_times = [&](double factor) { return only(slower(factor)); };
  return predict_all_by_replicates(model, name, times, slower_times).times.front();
}

std::size_t calls_by_replicates(const Model& model, const std::string& name, bool has_slower) {
  std::size_t calls = is_bounded(model, name) ? 2 : 1;
  for (const Group& group : groups_of(model, name)) calls += group.count;
  return calls + (has_slower && residual_of(model, name) > 0 ? 1 : 0);
}

}  // namespace commgauge
