#include "thresholds/threshold_json.hpp"

namespace commgauge::detail {
namespace {

OrderedJson as_json(const Threshold& threshold) {
  OrderedJson result{{"value", size_or_null(threshold.size)},
                     {"low", size_or_null(threshold.low)},
                     {"high", size_or_null(threshold.high)}};
  if (!threshold.reason.empty()) result["reason"] = threshold.reason;
  return result;
}

OrderedJson as_json(const Kappa& kappa) {
  OrderedJson result{
      {"value", kappa.value.value}, {"low", kappa.value.low}, {"high", kappa.value.high}};
  if (!kappa.reason.empty()) result["reason"] = kappa.reason;
  return result;
}

OrderedJson as_json(const std::optional<SweepSource>& source) {
  if (!source) return {};
  OrderedJson result{{"algorithm", source->algorithm}, {"timing", {}}, {"root", {}}};
  if (!source->timing.empty()) result["timing"] = source->timing;
  if (source->root) result["root"] = *source->root;
  result["launches"] = source->launches;
  return result;
}

std::string read_reason(const Reader& json) {
  return json.has("reason") ? json["reason"].text() : "";
}

std::optional<Bytes> read_size(const Reader& json) {
  if (json.is_null()) return std::nullopt;
  return json.size_bytes();
}

Threshold read_threshold(const Reader& json) {
  Threshold result{read_size(json["value"]), read_size(json["low"]), read_size(json["high"]),
                   read_reason(json)};
  const auto& [value, low, high, reason] = result;
  if (low && value && *low > *value) json["low"].fail("is above the value");
  if (high && value && *high < *value) json["high"].fail("is below the value");
  if (low && high && *high < *low) json["high"].fail("is below low");
  return result;
}

/// Of a file of an older version: nothing.
std::optional<SweepSource> read_source(const Reader& thresholds, std::string_view name) {
  if (!thresholds.has(name) || thresholds[name].is_null()) return std::nullopt;
  const Reader json = thresholds[name];
  SweepSource source;
  source.algorithm = json["algorithm"].text();
  if (!json["timing"].is_null()) source.timing = json["timing"].text();
  if (!json["root"].is_null()) source.root = json["root"].rank(most_ranks);
  const Reader launches = json["launches"];
  for (std::size_t i = 0; i < launches.size(); ++i) source.launches.push_back(launches[i].count());
  return source;
}

Kappa read_kappa(const Reader& json) {
  const Estimate value{json["value"].number_or_nan(), json["low"].number_or_nan(),
                       json["high"].number_or_nan()};
  if (value.low > value.value) json["low"].fail("is above the value");
  if (value.high < value.value) json["high"].fail("is below the value");
  return {value, read_reason(json)};
}

}  // namespace

OrderedJson size_or_null(std::optional<Bytes> size) {
  return size ? OrderedJson(size->value) : OrderedJson();
}

void add_thresholds(OrderedJson& object, const MachineThresholds& thresholds) {
  object["eager_limit_bytes"] = as_json(thresholds.eager_limit);
  object["scatter_break_bytes"] = as_json(thresholds.scatter_break);
  object["gather_m1_bytes"] = as_json(thresholds.gather_m1);
  object["gather_m2_bytes"] = as_json(thresholds.gather_m2);
  object["scatter_sweep"] = as_json(thresholds.scatter_sweep);
  object["gather_sweep"] = as_json(thresholds.gather_sweep);
}

MachineThresholds read_thresholds(const Reader& json) {
  return {json["confidence"].confidence(),
          read_threshold(json["eager_limit_bytes"]),
          read_threshold(json["scatter_break_bytes"]),
          read_threshold(json["gather_m1_bytes"]),
          read_threshold(json["gather_m2_bytes"]),
          read_source(json, "scatter_sweep"),
          read_source(json, "gather_sweep")};
}

OrderedJson as_json(const Kappas& kappas) {
  return {{"root", kappas.root},
          {"kappa1", as_json(kappas.kappa1)},
          {"kappa2", as_json(kappas.kappa2)}};
}

Kappas read_kappas(const Reader& json, int n) {
  return {json["root"].rank(n), read_kappa(json["kappa1"]), read_kappa(json["kappa2"])};
}

}  // namespace commgauge::detail
