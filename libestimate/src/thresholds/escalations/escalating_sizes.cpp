#include "thresholds/escalations/escalating_sizes.hpp"

#include <algorithm>

#include "thresholds/find_kind.hpp"
#include "thresholds/no_threshold.hpp"

namespace commgauge {

namespace {

EscalatingSizes united(const EscalatingSizes& a, const EscalatingSizes& b) {
  const bool both_end = a.regular_from && b.regular_from;
  return {std::min(a.above, b.above),
          both_end ? std::max(a.regular_from, b.regular_from) : std::nullopt};
}

}  // namespace

Threshold gather_m1(const SweepAnalysis& analysis) {
  const Escalations& found = analysis.escalations;
  const std::vector<SweepPoint>& points = analysis.sweep.points;
  if (!found.found) return no_threshold(found.reason);
  if (found.first == 0) {
    return no_threshold("escalations from the smallest size on (" + to_text(points.front().size) +
                        "): measure smaller ones");
  }
  Threshold threshold;
  threshold.size = points[found.first - 1].size;
  threshold.high = points[found.first_high].size;
  if (found.first_low > 0) {
    threshold.low = points[found.first_low - 1].size;
  } else {
    threshold.reason = "escalations may begin at the smallest size: measure smaller ones";
  }
  return threshold;
}

Threshold gather_m2(const SweepAnalysis& analysis) {
  const Escalations& found = analysis.escalations;
  const std::vector<SweepPoint>& points = analysis.sweep.points;
  if (!found.found) return no_threshold(found.reason);
  if (found.last + 1 == points.size()) {
    return no_threshold("escalations up to the largest size measured (" +
                        to_text(points.back().size) + "): measure larger ones");
  }
  if (!found.ends) {
    return no_threshold("escalations up to " + to_text(points[found.last].size) +
                        " (larger sizes take so long that as much more would not stand out there)");
  }
  Threshold threshold;
  threshold.size = points[found.last].size;
  threshold.low = points[found.last_low].size;
  if (found.last_high + 1 < points.size()) {
    threshold.high = points[found.last_high + 1].size;
  } else {
    threshold.reason = "escalations may go on up to the largest size: measure larger ones";
  }
  return threshold;
}

std::optional<EscalatingSizes> escalating_sizes(const Thresholds& thresholds) {
  std::optional<EscalatingSizes> sizes;
  for (const char* kind : {"scatter", "gather"}) {
    const SweepAnalysis* analysis = find_kind(thresholds, kind);
    if (analysis == nullptr || !analysis->escalations.found) continue;
    const Escalations& found = analysis->escalations;
    const std::vector<SweepPoint>& points = analysis->sweep.points;
    EscalatingSizes its{found.first_low > 0 ? points[found.first_low - 1].size : Bytes{0}, {}};
    if (found.ends && found.last_high + 1 < points.size()) {
      its.regular_from = points[found.last_high + 1].size;
    }
    sizes = sizes ? united(*sizes, its) : its;
  }
  return sizes;
}

}  // namespace commgauge
