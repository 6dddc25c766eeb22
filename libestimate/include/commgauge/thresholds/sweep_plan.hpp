#pragma once

#include <cstddef>
#include <vector>

#include "commgauge/base/units.hpp"
#include "commgauge/measurements/sweep.hpp"
#include "commgauge/thresholds/thresholds.hpp"

namespace commgauge {

/// How sizes are chosen.
struct SweepPlan {
  Bytes first{1};
  Bytes last{1 << 20};
  int per_octave{1};       ///< sizes in a doubling, in the first round
  double precision{0.05};  ///< relative distance of the two sizes around a break, in the end
  int most_sizes{64};
};

/// Geometric steps from first to last, both included.
/// @throws InputError  first is 0 or not below last, or fewer than one size in an octave.
[[nodiscard]] std::vector<Bytes> first_sizes(const SweepPlan& plan);

/// Where another measurement tells most about the breaks: between the two sizes around each break
/// (of the segmented regression, and around the escalations), and in the gaps beside them, until
/// they are closer than the plan's precision. Sorted, none that the sweep has. Empty: done.
/// O(sizes²).
[[nodiscard]] std::vector<Bytes> next_sizes(const Sweep& sweep, const SweepPlan& plan);

/// Breaks, and ends of the escalations, between two sizes that are further apart than the plan's
/// precision although another size would fit between them: where next_sizes() did not get to the
/// end. The lower one of the two sizes, as an index; ascending.
[[nodiscard]] std::vector<std::size_t> unresolved(const SweepAnalysis& analysis,
                                                  const SweepPlan& plan);

}  // namespace commgauge
