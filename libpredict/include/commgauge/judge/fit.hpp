#pragma once

#include "commgauge/assemble/estimate.hpp"

namespace commgauge {

/// Fits every model asked for by estimate(), judges them on the experiments kept away from the
/// fits, ranks them. Of the whole machine where the measurements are of a sample of its ranks.
///
/// @throws FitError  as estimate().
[[nodiscard]] Model fit(const Measurements& measurements, const FitOptions& options = {});

}  // namespace commgauge
