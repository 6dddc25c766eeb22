#include "commgauge/model/eager_limit_text.hpp"

#include "commgauge/thresholds/threshold_text.hpp"
#include "thresholds/eager_limit.hpp"

namespace commgauge {

std::optional<Threshold> known_eager_limit(const Model& model) {
  if (model.thresholds) return model.thresholds->eager_limit;
  if (!model.launches.empty()) return eager_limit_of(model.launches).threshold;
  if (model.eager_limit) return Threshold{model.eager_limit, {}, {}, ""};
  return std::nullopt;
}

std::string eager_limit_text(const Model& model) {
  const std::optional<Threshold> limit = known_eager_limit(model);
  return limit ? eager_limit_text(*limit) : "not known: the file has no launches";
}

}  // namespace commgauge
