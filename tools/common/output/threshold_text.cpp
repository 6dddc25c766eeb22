#include "common/output/threshold_text.hpp"

#include "commgauge/model/interval_meaning.hpp"
#include "commgauge/thresholds/threshold_text.hpp"
#include "common/output/table.hpp"

namespace commgauge::tools {

namespace {

std::string source_text(const std::string& what, const std::optional<SweepSource>& source) {
  if (!source) return "";
  return indented(what + source->algorithm +
                  (source->root ? ", root " + std::to_string(*source->root) : "") +
                  (source->timing.empty() ? "" : ", timing " + source->timing));
}

std::string threshold_text(const Threshold& threshold) {
  if (!threshold.size) return "none" + (threshold.reason.empty() ? "" : ": " + threshold.reason);
  return exact(*threshold.size) + interval_text(threshold);
}

}  // namespace

std::string exact(Bytes size) {
  const std::string rounded = to_text(size);
  const std::string bytes = std::to_string(size.value) + " B";
  return rounded == bytes ? bytes : rounded + " (" + bytes + ")";
}

std::string describe(const MachineThresholds& thresholds) {
  const Threshold& m1 = thresholds.gather_m1;
  const Threshold& m2 = thresholds.gather_m2;
  const bool same_reason = !m1.size && !m2.size && m1.reason == m2.reason;
  return "Thresholds (intervals: " + interval_meaning(thresholds) + ")\n" +
         indented("eager limit    " + eager_limit_text(thresholds.eager_limit)) +
         indented("scatter break  " + threshold_text(thresholds.scatter_break)) +
         indented("gather M1      " + threshold_text(m1)) +
         indented("gather M2      " + (same_reason ? "none: as M1" : threshold_text(m2))) +
         source_text("scatter is     ", thresholds.scatter_sweep) +
         source_text("gather is      ", thresholds.gather_sweep);
}

}  // namespace commgauge::tools
