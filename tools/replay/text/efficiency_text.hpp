#pragma once

#include <string>

#include "commgauge/replay/explain/efficiency.hpp"

namespace commgauge::tools {

/// A table: the run, then its regions, their factors in per cent.
[[nodiscard]] std::string efficiency_text(const replay::Efficiencies& all);

}  // namespace commgauge::tools
