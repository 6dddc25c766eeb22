#include "commgauge/predict/by_replicates.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "commgauge/model/model.hpp"
#include "commgauge/model/model_list.hpp"
#include "predict/interval_rules.hpp"

namespace commgauge {

namespace {

/// What makes a model's times: its parameters, those above the eager limit, growth of overheads,
/// links that ranks of a host share.
bool belongs(const FitFacts& fit, const FitFacts& model) {
  return fit.model == model.name || (fit.name == "overhead_growth" && model.has_overheads()) ||
         (fit.name == "host_links" && model.is_machine());
}

/// Whether links between hosts make the model's times, and are known with their spread.
bool has_fabric(const Model& model, const std::string& name) {
  return model.fabric && model.fabric->replicates.size() > 1 && facts_of(name).is_machine();
}

/// Fits whose replicates vary together: as many, of one kind. Those of the fabric, from rounds of
/// its own, vary apart from them.
struct FitsOfOneKind {
  ReplicateKind kind{};
  std::size_t count{};
  bool is_fabric{};
  friend bool operator==(const FitsOfOneKind&, const FitsOfOneKind&) = default;
};

/// Calls use(fit) with each fit that makes the model's times, and its group. `M` may be const.
template <class M, class Use>
void for_each_part(M& model, const std::string& name, Use&& use) {
  const FitFacts of = facts_of(name);
  const auto visit = [&](const FitFacts& facts, auto& fitted) {
    if (!fitted || !belongs(facts, of)) return;
    use(*fitted, FitsOfOneKind{fitted->replicate_kind, fitted->replicates.size(), false});
  };
  for_each_fit(visit, model);
}

std::vector<FitsOfOneKind> groups_of(const Model& model, const std::string& name) {
  std::vector<FitsOfOneKind> groups;
  for_each_part(model, name, [&](const auto&, const FitsOfOneKind& group) {
    if (std::ranges::find(groups, group) == groups.end()) groups.push_back(group);
  });
  if (has_fabric(model, name)) {
    groups.push_back({ReplicateKind::passes, model.fabric->replicates.size(), true});
  }
  return groups;
}

/// @param bare  the model without_replicates()
Model with_replicate(const Model& bare, const Model& model, const std::string& name,
                     const FitsOfOneKind& group, std::size_t k) {
  Model one = bare;
  if (group.is_fabric) {
    one.fabric->value = model.fabric->replicates[k];
    return one;
  }
  const FitFacts of = facts_of(name);
  const auto take = [&](const FitFacts& facts, auto& fitted, const auto& whole) {
    if (!whole || !belongs(facts, of)) return;
    const FitsOfOneKind own{whole->replicate_kind, whole->replicates.size(), false};
    if (own != group) return;
    fitted->value = whole->replicates[k];
  };
  for_each_fit(take, one, model);
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

/// Relative; NaN: unknown.
double residual_of(const Model& model, const std::string& name) {
  double residual = std::numeric_limits<double>::quiet_NaN();
  for_each_part(model, name, [&](const auto& fitted, const FitsOfOneKind&) {
    residual = std::fmax(residual, fitted.residual);
  });
  return residual;
}

/// What the calls have said of a number.
class Said {
 public:
  Said(const Model& model, const std::string& name, const ByReplicates& numbers)
      : model_{model}, name_{name}, numbers_{numbers} {}

  [[nodiscard]] double central() const { return numbers_.front(); }
  [[nodiscard]] double least() const { return numbers_[first_replicate() - 1]; }
  [[nodiscard]] bool has_slower() const {
    return numbers_.size() > calls_by_replicates(model_, name_);
  }
  [[nodiscard]] double slower() const { return numbers_.back(); }
  [[nodiscard]] std::vector<double> of_group(const FitsOfOneKind& wanted) const {
    auto first = numbers_.begin() + static_cast<std::ptrdiff_t>(first_replicate());
    for (const FitsOfOneKind& group : groups_of(model_, name_)) {
      const auto last = first + static_cast<std::ptrdiff_t>(group.count);
      if (group == wanted) return {first, last};
      first = last;
    }
    return {};
  }
  /// @param value  as IntervalRules::next_half_width() has it
  [[nodiscard]] double next_half_width(IntervalRules& rules, double value) const {
    double next = 0;
    std::size_t first = first_replicate();
    for (const FitsOfOneKind& group : groups_of(model_, name_)) {
      const auto by = [&](std::size_t k) { return numbers_[first + k]; };
      next = std::hypot(next, rules.next_half_width(group.kind, group.count, value, by));
      first += group.count;
    }
    return next;
  }

 private:
  [[nodiscard]] std::size_t first_replicate() const { return is_bounded(model_, name_) ? 2 : 1; }

  const Model& model_;
  const std::string& name_;
  const ByReplicates& numbers_;
};

/// @param misfit  relative
Prediction of_time(const Model& model, const Said& said, double misfit) {
  IntervalRules rules(model);
  const double next = said.next_half_width(rules, said.central());
  return rules.joined(said.central(), said.least(), next, misfit, false);
}

template <class Make>
ByReplicates paired(const ByReplicates& a, const ByReplicates& b, const Make& make) {
  ByReplicates pairs;
  for (std::size_t k = 0; k < a.size(); ++k) pairs.push_back(make(a[k], b[k]));
  return pairs;
}

}  // namespace

std::vector<ByReplicates> by_replicates(
    const Model& model, const std::string& name,
    const std::function<std::vector<double>(const Model&)>& numbers,
    const std::function<std::vector<double>(double)>& slower) {
  std::vector<ByReplicates> all;
  const auto add = [&](const std::vector<double>& said) {
    all.resize(said.size());
    for (std::size_t i = 0; i < said.size(); ++i) all[i].push_back(said[i]);
  };
  add(numbers(model));
  if (is_bounded(model, name)) add(numbers(without_bounds(model)));
  const Model bare = without_replicates(model);
  for (const FitsOfOneKind& group : groups_of(model, name)) {
    for (std::size_t k = 0; k < group.count; ++k) {
      add(numbers(with_replicate(bare, model, name, group, k)));
    }
  }
  const double residual = residual_of(model, name);
  if (slower && residual > 0) add(slower(1 + residual));
  return all;
}

Model without_replicates(Model model) {
  for_each_fit(
      [](const FitFacts&, auto& fitted) {
        if (fitted) fitted->replicates.clear();
      },
      model);
  if (model.fabric) model.fabric->replicates.clear();
  return model;
}

std::size_t calls_by_replicates(const Model& model, const std::string& name, bool has_slower) {
  std::size_t calls = is_bounded(model, name) ? 2 : 1;
  for (const FitsOfOneKind& group : groups_of(model, name)) calls += group.count;
  return calls + (has_slower && residual_of(model, name) > 0 ? 1 : 0);
}

Prediction time_by_replicates(const Model& model, const std::string& name,
                              const ByReplicates& times) {
  const Said said(model, name, times);
  const bool has_slower = said.has_slower() && said.central() > 0;
  return of_time(model, said,
                 has_slower ? std::max(0.0, std::log(said.slower() / said.central()))
                            : residual_of(model, name));
}

ReplicateTimes replicate_times_of(const Model& model, const std::string& name,
                                  const ByReplicates& times) {
  FitsOfOneKind own;
  for_each_fit(
      [&](const FitFacts& facts, const auto& fitted) {
        if (fitted && facts.name == name)
          own = {fitted->replicate_kind, fitted->replicates.size(), false};
      },
      model);
  return {own.kind, Said(model, name, times).of_group(own)};
}

Prediction ratio_by_replicates(const Model& model, const std::string& name,
                               const ByReplicates& times, const ByReplicates& over) {
  const ByReplicates ratios = paired(times, over, std::divides<>{});
  const Said said(model, name, ratios);
  const double misfit = said.has_slower() && said.central() > 0
                            ? std::abs(std::log(said.slower() / said.central()))
                            : 0;
  return of_time(model, said, misfit);
}

Prediction difference_by_replicates(const Model& model, const std::string& name,
                                    const ByReplicates& times, const ByReplicates& less) {
  const ByReplicates differences = paired(times, less, std::minus<>{});
  const Said said(model, name, differences);
  const double value = said.central();
  const double misfit =
      said.has_slower() ? said.slower() - value : residual_of(model, name) * value;
  IntervalRules rules(model);
  return rules.joined_difference(value, said.least(), said.next_half_width(rules, 0), misfit);
}

}  // namespace commgauge
