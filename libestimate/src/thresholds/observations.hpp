#pragma once

#include <vector>

#include "commgauge/thresholds/findings.hpp"

namespace commgauge {

/// What a segmented regression takes of a sweep: medians of the repetitions that did not escalate.
/// Arrays of one length; sizes where all escalated are missing.
struct Observations {
  std::vector<std::size_t> points;  ///< of the sweep
  std::vector<Bytes> sizes;
  std::vector<Seconds> times;
  std::vector<Seconds> floors;  ///< standard errors by the repetitions' spread, positive
  std::vector<double> weights;  ///< none: all alike

  /// Those at points first … last.
  [[nodiscard]] Observations between(std::size_t first, std::size_t last) const;
};

[[nodiscard]] Observations observe(const Sweep& sweep, const Escalations& escalations,
                                   Weights weights);

/// One line through all of them. @throws FitError  fewer than three sizes.
[[nodiscard]] Segment line_through(const Observations& observations, double confidence);

}  // namespace commgauge
