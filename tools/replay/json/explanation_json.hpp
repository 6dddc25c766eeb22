#pragma once

#include <nlohmann/json.hpp>

#include "commgauge/replay/explain/explanation.hpp"
#include "replay/outcome/outcome.hpp"

namespace commgauge::tools {

/// docs/schema/explanation-1.schema.json
[[nodiscard]] nlohmann::ordered_json explanation_json(const Outcome& outcome,
                                                      const replay::Explanation& explanation);

}  // namespace commgauge::tools
