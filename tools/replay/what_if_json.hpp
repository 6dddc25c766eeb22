#pragma once

#include <nlohmann/json.hpp>

#include "what_if_outcome.hpp"

namespace commgauge::tools {

/// docs/schema/what-if-1.schema.json
[[nodiscard]] nlohmann::ordered_json what_if_json(const WhatIfOutcome& outcome);

}  // namespace commgauge::tools
