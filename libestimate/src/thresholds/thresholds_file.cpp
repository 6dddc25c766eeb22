#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "base/diagnostic_json.hpp"
#include "base/json_lines.hpp"
#include "commgauge/base/files.hpp"
#include "commgauge/base/statistics.hpp"
#include "commgauge/thresholds/thresholds.hpp"
#include "measurements/launch_json.hpp"
#include "thresholds/threshold_json.hpp"

namespace commgauge {
namespace {

using detail::OrderedJson;

constexpr std::string_view thresholds_schema = "commgauge.thresholds/1";

/// Indexed by Weights.
constexpr std::array<std::string_view, 3> weight_names{"auto", "relative", "none"};

template <class T, class Get>
OrderedJson list_of(const std::vector<T>& entries, Get get) {
  OrderedJson result = OrderedJson::array();
  for (const T& entry : entries) result.push_back(get(entry));
  return result;
}

/// The size of a point, null beyond the last one.
OrderedJson size_at(const Sweep& sweep, std::size_t index) {
  return index < sweep.points.size() ? OrderedJson(sweep.points[index].size.value) : OrderedJson();
}

/// Of a point's median: by its repetitions, or what came with a single one.
Estimate interval_of(const SweepPoint& point, double confidence) {
  if (point.times_s.size() < 2) return {point.time_s(), point.low_s, point.high_s};
  const LocationInterval interval = median_interval(point.times_s, confidence);
  return {interval.value, interval.low, interval.high};
}

void add_points(OrderedJson& json, const SweepAnalysis& analysis, double confidence) {
  const std::vector<SweepPoint>& points = analysis.sweep.points;
  std::vector<Estimate> times;
  times.reserve(points.size());
  for (const SweepPoint& point : points) times.push_back(interval_of(point, confidence));
  json["size_bytes"] = list_of(points, [](const SweepPoint& p) { return p.size.value; });
  json["time_s"] = list_of(times, [](const Estimate& e) { return e.value; });
  json["low_s"] = list_of(times, [](const Estimate& e) { return e.low; });
  json["high_s"] = list_of(times, [](const Estimate& e) { return e.high; });
  json["fitted_s"] = analysis.fitted_s;
  json["repetitions"] = list_of(points, [](const SweepPoint& p) { return p.times_s.size(); });
}

OrderedJson as_json(const Break& b, const Sweep& sweep) {
  const Threshold found = threshold_of(b, sweep);
  OrderedJson result{{"last", b.last},
                     {"size_bytes", detail::size_or_null(found.size)},
                     {"low_bytes", detail::size_or_null(found.low)},
                     {"high_bytes", detail::size_or_null(found.high)}};
  if (!found.reason.empty()) result["reason"] = found.reason;
  return result;
}

OrderedJson as_json(const Segment& segment, const SweepAnalysis& analysis) {
  return {{"first", segment.first},
          {"last", segment.last},
          {"sizes", analysis.sizes_in(segment)},
          {"intercept_s", segment.intercept.value},
          {"intercept_low_s", segment.intercept.low},
          {"intercept_high_s", segment.intercept.high},
          {"slope_s_per_byte", segment.slope.value},
          {"slope_low_s_per_byte", segment.slope.low},
          {"slope_high_s_per_byte", segment.slope.high},
          {"rss", segment.rss}};
}

OrderedJson as_json(const Partition& partition) {
  return {{"breaks", partition.breaks.size()},
          {"last", partition.breaks},
          {"rss", partition.rss},
          {"bic", partition.bic},
          {"lwz", partition.lwz}};
}

OrderedJson as_json(const Escalations& escalations, const Sweep& sweep) {
  const auto size = [&](std::size_t point) {
    return escalations.found ? size_at(sweep, point) : OrderedJson();
  };
  OrderedJson result{{"found", escalations.found},
                     {"first_bytes", size(escalations.first)},
                     {"first_low_bytes", size(escalations.first_low)},
                     {"first_high_bytes", size(escalations.first_high)},
                     {"last_bytes", size(escalations.last)},
                     {"last_low_bytes", size(escalations.last_low)},
                     {"last_high_bytes", size(escalations.last_high)},
                     {"rate_inside", escalations.rate_inside},
                     {"rate_outside", escalations.rate_outside},
                     {"limit_s", escalations.limit_s},
                     {"limit_ratio", escalations.limit_ratio}};
  if (!escalations.reason.empty()) result["reason"] = escalations.reason;
  return result;
}

OrderedJson as_json(const SweepAnalysis& analysis, const Thresholds& thresholds) {
  const Sweep& sweep = analysis.sweep;
  const Segmentation& found = analysis.segmentation;
  OrderedJson result{{"kind", sweep.kind}, {"root", sweep.root}};
  if (!thresholds.launches.empty()) {
    result["launch"] = sweep.launch;
    result["launches"] = analysis.launches;
  }
  result["weights"] = nullptr;
  if (analysis.reason.empty()) {
    result["weights"] = weight_names.at(static_cast<std::size_t>(analysis.weights));
  } else {
    result["reason"] = analysis.reason;
  }
  add_points(result, analysis, thresholds.confidence);
  result["breaks"] = list_of(found.breaks, [&](const Break& b) { return as_json(b, sweep); });
  result["segments"] =
      list_of(found.segments, [&](const Segment& s) { return as_json(s, analysis); });
  result["rss"] = found.rss;
  result["bic"] = found.bic;
  result["lwz"] = found.lwz;
  result["candidates"] = list_of(found.candidates, [](const Partition& p) { return as_json(p); });
  result["escalations"] = as_json(analysis.escalations, sweep);
  detail::add_warnings(result, analysis.warnings);
  return result;
}

}  // namespace

std::string to_json(const Thresholds& thresholds) {
  OrderedJson json{{"schema", thresholds_schema}, {"confidence", thresholds.confidence}};
  detail::add_thresholds(json, thresholds);
  json["launches"] = detail::launches_to_json(thresholds.launches);
  json["sweeps"] = list_of(thresholds.sweeps, [&](const SweepAnalysis& analysis) {
    return as_json(analysis, thresholds);
  });
  detail::add_warnings(json, thresholds.warnings);
  return detail::to_lines(json);
}

ThresholdFindings load_thresholds(const std::filesystem::path& file) {
  const std::string name = file == "-" ? "standard input" : file.string();
  const detail::Json json = detail::parse_json(read_file(file), name);
  const detail::Reader root{json, name, ""};
  detail::expect_schema(root, thresholds_schema);
  ThresholdFindings found{detail::read_thresholds(root), detail::read_warnings(root)};
  const detail::Reader sweeps = root["sweeps"];
  for (std::size_t i = 0; i < sweeps.size(); ++i) (void)detail::read_warnings(sweeps[i]);
  return found;
}

}  // namespace commgauge
