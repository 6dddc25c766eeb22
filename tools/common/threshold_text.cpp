#include "common/threshold_text.hpp"

#include "commgauge/interval_meaning.hpp"
#include "common/table.hpp"

namespace commgauge::tools {

namespace {

/// Exact to the byte, unless launches differ.
std::string eager_limit_text(const Threshold& limit) {
  if (!limit.size) return "none: " + limit.reason;
  const std::string text = std::to_string(limit.size->value) + " B";
  if (!limit.low || !limit.high) return text + interval_text(limit);
  const std::uint64_t largest = limit.high->value - 1;
  return limit.low == limit.size && limit.size->value == largest
             ? text
             : text + ", in some launches up to " + std::to_string(largest) + " B";
}

std::string source_text(const std::string& what, const std::optional<SweepSource>& source) {
  if (!source) return "";
  return "  " + what + source->algorithm +
         (source->root ? ", root " + std::to_string(*source->root) : "") +
         (source->timing.empty() ? "" : ", timing " + source->timing) + "\n";
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

std::string interval_text(const Threshold& threshold) {
  const auto& [size, low, high, reason] = threshold;
  if (low && high) return ", between " + to_text(*low) + " and " + to_text(*high);
  const std::string because = reason.empty() ? "" : ": " + reason;
  if (low) return ", from " + to_text(*low) + " up, no upper end" + because;
  if (high) return ", up to " + to_text(*high) + ", no lower end" + because;
  return reason.empty() ? "" : "; no interval" + because;
}

std::string describe(const MachineThresholds& thresholds) {
  const Threshold& m1 = thresholds.gather_m1;
  const Threshold& m2 = thresholds.gather_m2;
  const bool same_reason = !m1.size && !m2.size && m1.reason == m2.reason;
  return "Thresholds (intervals: " + interval_meaning(thresholds) + ")\n  eager limit    " +
         eager_limit_text(thresholds.eager_limit) + "\n  scatter break  " +
         threshold_text(thresholds.scatter_break) + "\n  gather M1      " + threshold_text(m1) +
         "\n  gather M2      " + (same_reason ? "none: as M1" : threshold_text(m2)) + "\n" +
         source_text("scatter is     ", thresholds.scatter_sweep) +
         source_text("gather is      ", thresholds.gather_sweep);
}

}  // namespace commgauge::tools
