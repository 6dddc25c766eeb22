#include "commgauge/thresholds/thresholds.hpp"

#include <algorithm>

#include "commgauge/base/error.hpp"
#include "thresholds/breaks/scatter_break.hpp"
#include "thresholds/eager_limit.hpp"
#include "thresholds/escalations/escalating_sizes.hpp"
#include "thresholds/find_kind.hpp"
#include "thresholds/joined_sweeps.hpp"
#include "thresholds/no_threshold.hpp"
#include "thresholds/sweep_analysis.hpp"
#include "thresholds/sweep_choice.hpp"
#include "thresholds/sweep_warnings.hpp"

namespace commgauge {

namespace {

Threshold not_swept(const std::string& kind) { return no_threshold(kind + " was not swept"); }

Thresholds without_eager_limit(std::span<const JoinedSweep> sweeps,
                               const std::vector<Launch>& launches,
                               const ThresholdOptions& options) {
  Thresholds result;
  result.confidence = options.segmentation.confidence;
  result.eager_limit = no_threshold("not probed");
  result.launches = launches;
  for (const JoinedSweep& joined : sweeps) {
    result.sweeps.push_back(analyse_if_possible(joined.sweep, options, joined.ends));
    result.sweeps.back().launches = joined.launches;
    std::ranges::copy(result.sweeps.back().warnings, std::back_inserter(result.warnings));
  }
  const SweepAnalysis* scatter = choose_sweep(result, "scatter");
  const SweepAnalysis* gather = choose_sweep(result, "gather");
  result.scatter_break =
      scatter != nullptr ? scatter_break(*scatter, result.confidence) : not_swept("scatter");
  result.gather_m1 = gather != nullptr ? gather_m1(*gather) : not_swept("gather");
  result.gather_m2 = gather != nullptr ? gather_m2(*gather) : not_swept("gather");
  if (scatter != nullptr) result.scatter_sweep = source_of(*scatter, launches);
  if (gather != nullptr) result.gather_sweep = source_of(*gather, launches);
  return result;
}

/// The two need not agree, but who sees both wants to know.
void compare_eager_limit(Thresholds& result) {
  const Threshold& found = result.scatter_break;
  const Threshold& eager = result.eager_limit;
  if (!eager.size || !found.low || !found.high) return;
  const Bytes limit = *eager.size;
  const bool certain = eager.low && eager.high;
  // Launches may differ: the largest size that is eager in one of them.
  const Bytes largest = certain ? Bytes{eager.high->value - 1} : limit;
  const SweepAnalysis* scatter = find_kind(result, "scatter");
  if (scatter == nullptr) scatter = find_kind(result, "scatter_library");
  const std::vector<SweepPoint>& points = scatter->sweep.points;
  const bool inside_sweep = limit >= points.front().size && limit < points.back().size;
  if (!inside_sweep || (largest >= *found.low && limit < *found.high)) return;
  result.warnings.push_back(
      {.kind = "break_not_at_eager_limit",
       .problem = "scatter breaks between " + to_text(*found.low) + " and " + to_text(*found.high) +
                  ", not at the eager limit of point-to-point messages",
       .reason = to_text(limit),
       .advice = certain ? "the limit was probed, the break has another cause"
                         : "the break has another cause, or the limit is another (" + eager.reason +
                               ")"});
}

}  // namespace

Thresholds find_thresholds(std::span<const Sweep> sweeps, const ThresholdOptions& options) {
  if (sweeps.empty()) throw FitError("there are no sweeps (nothing was measured): measure some");
  std::vector<JoinedSweep> alone;
  for (const Sweep& sweep : sweeps) alone.push_back({sweep, {}, {}});
  return without_eager_limit(alone, {}, options);
}

Thresholds find_thresholds(const Measurements& all, const ThresholdOptions& options) {
  const Measurements measurements = largest_launches(all);
  std::vector<Diagnostic> warnings;
  const std::vector<JoinedSweep> sweeps = join_launches(measurements, warnings);
  const bool has_limit = std::ranges::any_of(measurements.launches, [](const Launch& launch) {
    return launch.eager_limit_bytes || launch.eager_probed_bytes.value_or(0) > 0;
  });
  if (sweeps.empty() && !has_limit) {
    throw FitError("there are neither sweeps nor an eager limit (nothing was measured): measure");
  }
  Thresholds result = without_eager_limit(sweeps, measurements.launches, options);
  result.warnings.insert(result.warnings.begin(), warnings.begin(), warnings.end());
  const EagerLimit limit = eager_limit_of(measurements.launches);
  result.eager_limit = limit.threshold;
  if (limit.disagreement) result.warnings.push_back(*limit.disagreement);
  compare_eager_limit(result);
  std::ranges::copy(sweep_warnings(measurements), std::back_inserter(result.warnings));
  return result;
}

}  // namespace commgauge
