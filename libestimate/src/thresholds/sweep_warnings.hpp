#pragma once

#include <vector>

#include "commgauge/base/diagnostic.hpp"
#include "commgauge/measurements/measurements.hpp"

namespace commgauge {

/// What happened to the sweeps while they were measured: repetitions with a rank that started late,
/// sizes that were left out.
[[nodiscard]] std::vector<Diagnostic> sweep_warnings(const Measurements& measurements);

}  // namespace commgauge
