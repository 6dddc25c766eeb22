#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "replay/outcome/outcome.hpp"

namespace commgauge::tools {

/// docs/schema/replay-1.schema.json, without `traffic`.
[[nodiscard]] nlohmann::ordered_json result_json(const Outcome& outcome);
/// Its `traffic`. @pre Options::counts_traffic
[[nodiscard]] nlohmann::ordered_json traffic_json(const Outcome& outcome);

/// As text. Names that are no UTF-8 are made some. @param indent  -1: one line
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& json, int indent = -1);

}  // namespace commgauge::tools
