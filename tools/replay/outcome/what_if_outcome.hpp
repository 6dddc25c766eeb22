#pragma once

#include <optional>
#include <string>
#include <vector>

#include "commgauge/replay/prediction/what_if.hpp"
#include "replay/outcome/outcome.hpp"

namespace commgauge::tools {

/// How much longer than unchanged the run may take: the shares that tolerances are told for.
inline const std::vector<double> tolerated{0.01, 0.02, 0.05};

struct Curve {
  replay::Quantity quantity{};
  std::vector<replay::Point> points;
};

/// What was asked of a run, and what came of it.
struct WhatIfOutcome {
  Outcome unchanged;
  std::vector<std::string> changes;       ///< as they were asked for
  std::optional<replay::WhatIf> changed;  ///< where there are some
  std::vector<Curve> curves;
  std::vector<replay::Tolerance> tolerances;
};

}  // namespace commgauge::tools
