#pragma once

#include <optional>
#include <span>

#include "commgauge/base/diagnostic.hpp"
#include "commgauge/measurements/measurements.hpp"
#include "commgauge/thresholds/threshold.hpp"

namespace commgauge {

/// What several launches say of the eager limit.
struct EagerLimit {
  /// The smallest that was found or given. Its interval holds those of all launches, if all were
  /// probed: it is open above where some found none.
  Threshold threshold;
  std::optional<Diagnostic> disagreement;  ///< of the launches, if they do
};
[[nodiscard]] EagerLimit eager_limit_of(std::span<const Launch> launches);

}  // namespace commgauge
