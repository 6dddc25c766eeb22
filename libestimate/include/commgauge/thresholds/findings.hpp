#pragma once

#include <optional>
#include <string>
#include <vector>

#include "commgauge/base/diagnostic.hpp"
#include "commgauge/measurements/measurements.hpp"
#include "commgauge/measurements/sweep.hpp"
#include "commgauge/segmentation/segments.hpp"
#include "commgauge/thresholds/escalations.hpp"
#include "commgauge/thresholds/threshold.hpp"

namespace commgauge {

/// How the points of a sweep are weighed.
enum class Weights {
  automatic,  ///< relative where the longest time is more than ten times the shortest
  relative,   ///< 1 / time²
  none
};

struct ThresholdOptions {
  SegmentationOptions segmentation;
  Weights weights{Weights::automatic};
};

/// A break that the passes of a sweep don't agree on: one line does in most of them.
struct DisputedBreak {
  Bytes after;   ///< the last size below it
  long show{};   ///< passes that have a shift of its sign
  long asked{};  ///< of those that can tell
};

/// What was made of one sweep. Observations of the segmentation are its points' medians, without
/// escalated repetitions; a point where all are escalated is left out. Indices are of
/// `sweep.points` nevertheless.
struct SweepAnalysis {
  Sweep sweep;
  std::vector<int> launches;  ///< whose repetitions it has; none for a CSV
  Segmentation segmentation;  ///< without segments where there is a reason
  /// Left out of the segmentation, but for breaks whose number was given.
  std::vector<DisputedBreak> disputed;
  std::vector<double> fitted_s;  ///< observations, by point; NaN where all repetitions escalated
  Weights weights{};             ///< relative or none: what was used
  Escalations escalations;
  std::string reason;  ///< why there are no lines, or empty
  std::vector<Diagnostic> warnings;

  /// How many sizes a segment's line was fitted to.
  [[nodiscard]] std::size_t sizes_in(const Segment& segment) const;
};

/// Where a machine changes its behaviour, and what is odd about that or the data.
struct ThresholdFindings : MachineThresholds {
  std::vector<Diagnostic> warnings;  ///< those of the sweeps, too
};

/// What was learnt from a machine's sweeps.
struct Thresholds : ThresholdFindings {
  std::vector<SweepAnalysis> sweeps;
  std::vector<Launch> launches;  ///< where it was measured; none for a CSV
};

/// Sizes at which flat scatter or gather escalates, their intervals included: above `above`, below
/// `regular_from` if there is such a size.
struct EscalatingSizes {
  Bytes above;
  std::optional<Bytes> regular_from;
};

}  // namespace commgauge
