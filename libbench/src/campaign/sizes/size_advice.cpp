#include "campaign/sizes/size_advice.hpp"

#include <vector>

#include "commgauge/thresholds/thresholds.hpp"
#include "ranks/rank0.hpp"

namespace commgauge::bench {

SizeAdvice advise_sizes(const Communicator& comm, std::span<const Sweep> sweeps, Bytes one_to_two,
                        double confidence) {
  std::vector<Bytes> scatter_break;
  std::vector<Bytes> escalating;
  on_rank_0(comm, [&] {
    if (sweeps.empty()) return;
    ThresholdOptions options;
    options.segmentation.confidence = confidence;
    const Thresholds thresholds = find_thresholds(sweeps, options);
    const auto scatter = decisive_scatter_break(thresholds, one_to_two);
    if (scatter) scatter_break = {*scatter};
    const auto found = escalating_sizes(thresholds);
    if (found) escalating = {found->above};
    if (found && found->regular_from) escalating.push_back(*found->regular_from);
  });
  scatter_break = broadcast(comm, scatter_break);
  escalating = broadcast(comm, escalating);
  SizeAdvice advice;
  if (!scatter_break.empty()) advice.scatter_break = scatter_break.front();
  if (!escalating.empty()) advice.escalate_above = escalating.front();
  if (escalating.size() > 1) advice.regular_from = escalating.back();
  return advice;
}

}  // namespace commgauge::bench
