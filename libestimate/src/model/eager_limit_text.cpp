#include "commgauge/model/eager_limit_text.hpp"

#include "commgauge/thresholds/threshold_text.hpp"
#include "thresholds/eager_limit.hpp"

namespace commgauge {

std::string eager_limit_text(const Model& model) {
  if (model.thresholds) return eager_limit_text(model.thresholds->eager_limit);
  if (!model.launches.empty()) return eager_limit_text(eager_limit_of(model.launches).threshold);
  if (model.eager_limit) return std::to_string(model.eager_limit->value) + " B";
  return "not known: the file has no launches";
}

}  // namespace commgauge
