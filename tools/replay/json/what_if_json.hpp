#pragma once

#include <nlohmann/json.hpp>

#include "replay/outcome/what_if_outcome.hpp"

namespace commgauge::tools {

/// docs/schema/what-if-1.schema.json
[[nodiscard]] nlohmann::ordered_json what_if_json(const WhatIfOutcome& outcome);
/// One of its `curves`, and one of its `tolerances`.
[[nodiscard]] nlohmann::ordered_json curve_json(const Curve& curve);
[[nodiscard]] nlohmann::ordered_json tolerance_json(const replay::Tolerance& tolerance);

}  // namespace commgauge::tools
