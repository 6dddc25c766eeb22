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

Prediction predict_by_replicates(const Model& model, const std::string& name,
                                 const std::function<double(const Model&)>& time,
                                 const std::function<double(double)>& slower) {
  IntervalRules rules(model);
  const double value = time(model);
  const double least = is_bounded(model, name) ? time(without_bounds(model)) : value;
  double next = 0;
  for (const Group& group : groups_of(model, name)) {
    const auto by = [&](std::size_t k) { return time(with_replicate(model, name, group, k)); };
    next = std::hypot(next, rules.next_half_width(group.kind, group.count, value, by));
  }
  double residual = residual_of(model, name);
  if (slower && residual > 0 && value > 0) {
    residual = std::max(0.0, std::log(slower(1 + residual) / value));
  }
  return rules.joined(value, least, next, residual, false);
}

std::size_t calls_by_replicates(const Model& model, const std::string& name, bool has_slower) {
  std::size_t calls = is_bounded(model, name) ? 2 : 1;
  for (const Group& group : groups_of(model, name)) calls += group.count;
  return calls + (has_slower && residual_of(model, name) > 0 ? 1 : 0);
}

}  // namespace commgauge
