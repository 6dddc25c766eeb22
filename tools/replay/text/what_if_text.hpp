#pragma once

#include <string>

#include "replay/outcome/what_if_outcome.hpp"

namespace commgauge::tools {

/// The time, the changed one and their ratio, curves and tolerances as tables.
[[nodiscard]] std::string what_if_text(const WhatIfOutcome& outcome);

}  // namespace commgauge::tools
