#include "thresholds/describe.hpp"

#include <algorithm>
#include <cstdio>
#include <set>

#include "commgauge/base/printable.hpp"
#include "commgauge/thresholds/threshold_text.hpp"
#include "common/output/table.hpp"
#include "common/output/threshold_text.hpp"

namespace commgauge::tools {

namespace {

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string machine_text(const Thresholds& thresholds) {
  if (thresholds.launches.empty()) return "";
  const Launch& launch = thresholds.launches.front();
  std::set<std::string> hosts;
  for (const RankPlace& rank : launch.ranks) hosts.insert(rank.host);
  std::string library = first_line(launch.mpi_library);
  std::ranges::replace(library, '\t', ' ');
  return "Machine\n" +
         indented(counted(std::ssize(launch.ranks), "rank") + " on " +
                  counted(std::ssize(hosts), "host") + ", wait " + launch.wait + ", buffers " +
                  launch.buffers + ", " + launch.time_utc) +
         indented(library) + "\n";
}

std::string one_decimal(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

/// `1 break: BIC 378.1 with none, 133.1 with 1, 138.4 with 2`
std::string choice_text(const Segmentation& segmentation, const SegmentationOptions& options) {
  const std::string count = counted(std::ssize(segmentation.breaks), "break");
  if (options.breaks) return count + ", as asked for";
  const bool bic = options.criterion == Criterion::bic;
  std::vector<std::string> words;
  for (const Partition& candidate : segmentation.candidates) {
    const auto breaks = candidate.breaks.size();
    words.push_back(one_decimal(bic ? candidate.bic : candidate.lwz) + " with " +
                    (breaks == 0 ? "none" : std::to_string(breaks)));
  }
  return count + ": " + (bic ? "BIC " : "LWZ ") + joined(words);
}

std::string bandwidth(const Estimate& slope) {
  constexpr double bytes_in_megabyte = 1e6;
  return slope.value > 0 ? number(1 / slope.value / bytes_in_megabyte) + " MB/s" : "-";
}

std::string segments_text(const SweepAnalysis& analysis) {
  const auto& points = analysis.sweep.points;
  Table table{{"from", "to", "sizes", "fixed part [µs]", "per byte [ns/B]", "bandwidth"}};
  for (const Segment& segment : analysis.segmentation.segments) {
    const auto& [intercept, slope] = std::pair{segment.intercept, segment.slope};
    table.add({to_text(points[segment.first].size), to_text(points[segment.last].size),
               std::to_string(analysis.sizes_in(segment)),
               with_interval(intercept.value, intercept.low, intercept.high, micro),
               with_interval(slope.value, slope.low, slope.high, nano), bandwidth(slope)});
  }
  return table.text();
}

std::string break_text(const Break& found, const Sweep& sweep) {
  const Threshold place = threshold_of(found, sweep);
  return "  break after " + exact(*place.size) + interval_text(place) + "\n";
}

std::string escalations_text(const SweepAnalysis& analysis) {
  const Escalations& escalations = analysis.escalations;
  const auto& points = analysis.sweep.points;
  if (!escalations.found) {
    return escalations.reason.empty() ? "" : indented(escalations.reason);
  }
  return "  escalations from " + to_text(points[escalations.first].size) + " to " +
         to_text(points[escalations.last].size) + ": " + percent(escalations.rate_inside) +
         " of the repetitions, elsewhere " + percent(escalations.rate_outside) + "\n";
}

/// `30 sizes from 1 KiB to 40 KiB, 15 repetitions of each`
std::string extent_of(const Sweep& sweep) {
  if (sweep.points.empty()) return "no sizes";
  const auto [least, most] = std::minmax_element(
      sweep.points.begin(), sweep.points.end(),
      [](const auto& a, const auto& b) { return a.times_s.size() < b.times_s.size(); });
  const auto fewest = std::ssize(least->times_s);
  const auto largest = std::ssize(most->times_s);
  std::string text = counted(std::ssize(sweep.points), "size") + " from " +
                     to_text(sweep.points.front().size) + " to " +
                     to_text(sweep.points.back().size) + ", ";
  if (fewest == largest) return text + counted(fewest, "repetition") + " of each";
  return text + std::to_string(fewest) + " to " + counted(largest, "repetition") + " of each";
}

std::string sweep_text(const SweepAnalysis& analysis, const SegmentationOptions& options) {
  const std::string name = name_of(analysis.sweep) + ": " + extent_of(analysis.sweep) + "\n  ";
  if (!analysis.reason.empty()) return name + one_line("no lines: " + analysis.reason) + "\n\n";
  std::string text = name + choice_text(analysis.segmentation, options) + "\n  " +
                     (analysis.weights == Weights::relative ? "points weighed by 1/time²"
                                                            : "all points weigh the same") +
                     "\n" + segments_text(analysis);
  for (const Break& found : analysis.segmentation.breaks) {
    text += break_text(found, analysis.sweep);
  }
  text += escalations_text(analysis);
  return text + "\n";
}

}  // namespace

std::string describe(const Thresholds& thresholds, const ThresholdOptions& options) {
  std::string text = machine_text(thresholds);
  for (const SweepAnalysis& analysis : thresholds.sweeps) {
    text += sweep_text(analysis, options.segmentation);
  }
  text += describe(static_cast<const MachineThresholds&>(thresholds));
  for (const Diagnostic& one : thresholds.warnings) {
    text += one_line("Warning: " + one.text()) + "\n";
  }
  return text;
}

std::string name_of(const Sweep& sweep) { return sweep.kind.empty() ? "sweep" : sweep.kind; }

}  // namespace commgauge::tools
