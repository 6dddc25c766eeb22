#include "commgauge/model/interval_meaning.hpp"

#include <algorithm>
#include <optional>

#include "commgauge/base/text.hpp"
#include "commgauge/model/model.hpp"
#include "commgauge/model/model_list.hpp"

namespace commgauge {

namespace {

/// The less, the less its intervals hold.
int reach(ReplicateKind kind) {
  return kind == ReplicateKind::draws ? 0 : kind == ReplicateKind::passes ? 1 : 2;
}

/// That whose intervals hold least. Overheads' growth has to be named: it is no model.
ReplicateKind least_kind(const Model& model, std::string_view name) {
  std::optional<ReplicateKind> least;
  const auto look_at = [&](const FitFacts& facts, const auto& fitted) {
    const bool is_meant =
        name.empty() ? facts.predicts : name == (facts.predicts ? facts.model : facts.name);
    if (!fitted || !is_meant) return;
    if (least && reach(*least) <= reach(fitted->replicate_kind)) return;
    least = fitted->replicate_kind;
  };
  for_each_fit(look_at, model);
  return least.value_or(ReplicateKind::passes);
}

std::string again(double confidence, std::string_view what) {
  return percent(confidence) + " of what " + std::string{what} + " would find again";
}

}  // namespace

std::string interval_meaning(double confidence, ReplicateKind kind) {
  if (kind == ReplicateKind::launches) return percent(confidence) + ", launches included";
  return again(confidence, kind == ReplicateKind::passes ? "this launch" : "the same passes");
}

std::string interval_meaning(const Model& model, std::string_view name) {
  return interval_meaning(model.confidence, least_kind(model, name));
}

std::string interval_meaning(const MachineThresholds& thresholds) {
  std::size_t launches = 0;
  for (const auto* source : {&thresholds.scatter_sweep, &thresholds.gather_sweep}) {
    if (*source) launches = std::max(launches, (*source)->launches.size());
  }
  return again(thresholds.confidence, launches == 0   ? "the same sweep"
                                      : launches == 1 ? "this launch"
                                                      : "these launches");
}

bool holds_next_launch(const Model& model, std::string_view name) {
  return least_kind(model, name) == ReplicateKind::launches;
}

}  // namespace commgauge
