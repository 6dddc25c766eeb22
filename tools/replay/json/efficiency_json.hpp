#pragma once

#include <nlohmann/json.hpp>

#include "commgauge/replay/explain/efficiency.hpp"

namespace commgauge::tools {

/// The run's factors, and in `regions` those of each region; null: a share of nothing.
[[nodiscard]] nlohmann::ordered_json efficiency_json(const replay::Efficiencies& all);

}  // namespace commgauge::tools
