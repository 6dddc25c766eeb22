#pragma once

#include <cstddef>
#include <vector>

#include "commgauge/measurements/sweep.hpp"
#include "thresholds/escalations/range_likelihood.hpp"

namespace commgauge {

// Whether sizes that escalate lie together more than by chance: what disturbs the machine for a
// while hits any size. Tests at 5 %, the same on every call.

/// The repetitions of one pass: which points it has, in the order in which they stand here, and
/// which of them escalated. Arrays of one length.
struct Pass {
  std::vector<std::size_t> points;
  std::vector<bool> escalated;
};

/// Whether escalations prefer a range of sizes within the passes. A pass takes its sizes in a
/// random order, so what disturbs the machine meanwhile hits any of them: the same escalations at
/// other sizes of their pass would make as good a range.
/// @param counts  of each point, what the passes hold of it
[[nodiscard]] bool prefer_a_range(const RateLikelihood& rate, const std::vector<Count>& counts,
                                  std::vector<Pass> passes);

/// The same where passes are not known: whether the counts of whole sizes would make as good a
/// range in another order. A disturbance hits all repetitions of a size, but no neighbouring sizes.
/// Sizes without repetitions are passed over.
[[nodiscard]] bool lie_together(const RateLikelihood& rate, std::vector<Count> counts);

/// The counts of sizes, those much closer than usual added up. A sweep adds such sizes one after
/// the other, where it suspects something, so that one disturbance hits them all.
/// @param counts  of each point of the sweep
[[nodiscard]] std::vector<Count> pooled(const Sweep& sweep, const std::vector<Count>& counts);

/// Whether two neighbours among these sizes escalate; sizes without repetitions are passed over.
[[nodiscard]] bool neighbours_escalate(const std::vector<Count>& counts);

}  // namespace commgauge
