#pragma once

#include "commgauge/judge/freshness.hpp"
#include "commgauge/model/model.hpp"

namespace commgauge {

/// The job's model with what drifted, or deviates, multiplied by its factors (shifted()).
[[nodiscard]] Model refreshed(const Model& job, const Freshness& found);

}  // namespace commgauge
