#include "commgauge/model/interval_meaning.hpp"

#include <algorithm>
#include <optional>

#include "base/text.hpp"

namespace commgauge {

namespace {

/// Calls use(name, fit) for every fit that the file has.
template <class Use>
void for_each_fit(const Model& model, Use&& use) {
  const auto use_if_there = [&](std::string_view name, const auto& fitted) {
    if (fitted) use(name, *fitted);
  };
  use_if_there("hockney", model.hockney);
  use_if_there("hockney", model.hockney_rendezvous);
  use_if_there("lom", model.lom);
  use_if_there("lmo", model.lmo);
  use_if_there("bottleneck", model.bottleneck);
  use_if_there("logp", model.logp);
  use_if_there("loggp", model.loggp);
  use_if_there("loggps", model.loggps);
  use_if_there("plogp", model.plogp);
  use_if_there("start_up", model.start_up);
  use_if_there("overhead_growth", model.overhead_growth);
}

/// The less, the less its intervals hold.
int reach(ReplicateKind kind) {
  return kind == ReplicateKind::draws ? 0 : kind == ReplicateKind::passes ? 1 : 2;
}

/// That whose intervals hold least. Overheads' growth has to be named: it is no model.
ReplicateKind least_kind(const Model& model, std::string_view name) {
  std::optional<ReplicateKind> least;
  for_each_fit(model, [&](std::string_view which, const auto& fitted) {
    const bool is_meant = name.empty() ? which != "overhead_growth" : which == name;
    if (!is_meant || (least && reach(*least) <= reach(fitted.replicate_kind))) return;
    least = fitted.replicate_kind;
  });
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
