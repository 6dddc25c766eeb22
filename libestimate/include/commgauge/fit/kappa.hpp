#pragma once

#include "commgauge/model/model.hpp"
#include "commgauge/thresholds/thresholds.hpp"

namespace commgauge {

/// From the flat gather's sweep and the parameters of `lom` or `lmo`. Intervals are joint: the
/// line's own uncertainty and that of the parameters' replicates.
[[nodiscard]] Kappas find_kappas(const Thresholds& thresholds,
                                 const Fitted<AdditiveParameters>& parameters);

}  // namespace commgauge
