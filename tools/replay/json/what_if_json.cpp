#include "replay/json/what_if_json.hpp"

#include <cmath>

namespace commgauge::tools {

using Json = nlohmann::ordered_json;

namespace {

Json finite_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(); }

void add_times(Json& json, const Prediction& p) {
  json["time_s"] = p.time.value;
  json["low_s"] = finite_or_null(p.low.value);
  json["high_s"] = finite_or_null(p.high.value);
}

void add_ratio(Json& json, const Estimate& ratio) {
  json["ratio"] = finite_or_null(ratio.value);
  json["ratio_low"] = finite_or_null(ratio.low);
  json["ratio_high"] = finite_or_null(ratio.high);
}

Json notes_json(const replay::Predicted& run) {
  Json json = Json::array();
  for (const Diagnostic& note : run.notes) json.push_back(note.text());
  return json;
}

Json changed_json(const WhatIfOutcome& all) {
  Json json{{"changes", all.changes}};
  add_times(json, all.changed->run.prediction);
  add_ratio(json, all.changed->ratio);
  json["notes"] = notes_json(all.changed->run);
  return json;
}

}  // namespace

Json curve_json(const Curve& curve) {
  Json json{{"quantity", to_text(curve.quantity)}, {"points", Json::array()}};
  for (const replay::Point& point : curve.points) {
    Json one{{"factor", point.factor}};
    add_times(one, point.prediction);
    add_ratio(one, point.ratio);
    json["points"].push_back(std::move(one));
  }
  return json;
}

Json tolerance_json(const replay::Tolerance& one) {
  return {{"quantity", to_text(one.quantity)},
          {"longer", one.longer},
          {"slower", finite_or_null(one.factor)},
          {"added_s", finite_or_null(one.added)}};
}

Json what_if_json(const WhatIfOutcome& all) {
  Json json{{"schema", "commgauge.what-if/1"},
            {"program", all.unchanged.trace.program},
            {"model", all.unchanged.machine.kind},
            {"confidence", all.unchanged.model->confidence}};
  add_times(json, all.unchanged.prediction);
  json["notes"] = notes_json(all.unchanged);
  if (all.changed) json["changed"] = changed_json(all);
  for (const Curve& curve : all.curves) json["curves"].push_back(curve_json(curve));
  for (const auto& one : all.tolerances) json["tolerances"].push_back(tolerance_json(one));
  return json;
}

}  // namespace commgauge::tools
