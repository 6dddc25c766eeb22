#include "replay/json/explanation_json.hpp"

#include <cmath>

#include "replay/json/efficiency_json.hpp"

namespace commgauge::tools {

using Json = nlohmann::ordered_json;

namespace {

Json or_null(double value) { return std::isnan(value) ? Json() : Json(value); }

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json estimate_json(double value, const replay::Interval& interval) {
  return {{"value", value}, {"low", or_null(interval.low)}, {"high", or_null(interval.high)}};
}

/// `rank`, `region`, `call`, `site`
Json with_place(Json json, const replay::Whereabouts& where) {
  json["rank"] = where.rank == replay::every_rank ? Json() : Json(where.rank);
  json["region"] = text_or_null(where.region);
  json["call"] = text_or_null(where.call);
  json["site"] = text_or_null(where.site);
  return json;
}

Json part_json(const replay::CriticalPath::Part& part) {
  Json json = with_place(Json::object(), part.where);
  json["kind"] = replay::to_text(part.kind);
  json["seconds"] = part.seconds;
  return json;
}

Json step_json(const replay::CriticalPath::Step& step) {
  Json json{{"rank", step.rank},
            {"from_s", step.from},
            {"to_s", step.to},
            {"kind", replay::to_text(step.kind)},
            {"call", text_or_null(step.call)}};
  if (!step.message) return json;
  const replay::PathMessage& message = *step.message;
  json["message"] = {{"from", message.from}, {"to", message.to}, {"bytes", message.bytes}};
  return json;
}

Json path_json(const replay::CriticalPath& path) {
  Json json{{"parts", Json::array()}, {"steps", Json::array()}, {"left_out", path.left_out}};
  for (const auto& part : path.parts) json["parts"].push_back(part_json(part));
  for (const auto& step : path.steps) json["steps"].push_back(step_json(step));
  return json;
}

Json answer_json(const replay::Answer& answer, double time) {
  Json json = with_place({{"kind", to_text(answer.kind)},
                          {"title", answer.title},
                          {"advice", answer.advice},
                          {"time_s", estimate_json(answer.time, answer.time_interval)},
                          {"gain_s", estimate_json(answer.gain, answer.gain_interval)},
                          {"gain_percent", 100 * answer.gain / time}},
                         answer.where);
  json["confirmed_s"] = answer.confirmed ? Json(*answer.confirmed) : Json();
  return json;
}

Json domino_json(const replay::DominoPath& path) {
  Json json{{"rank", path.rank}, {"time_s", path.time}, {"steps", Json::array()}};
  for (const auto& step : path.steps) {
    Json one = with_place(Json::object(), step.where);
    one["at_s"] = step.at;
    one["partner"] = step.partner;
    json["steps"].push_back(one);
  }
  return json;
}

Json balance_json(const replay::Balance& balance) {
  return {{"region", balance.region},         {"instances", balance.instances},
          {"sigma_s", balance.sigma},         {"mean_over_max", balance.mean_over_max},
          {"computing_s", balance.computing}, {"sleeping_s", balance.sleeping},
          {"slowest", balance.slowest},       {"time_s", balance.time}};
}

}  // namespace

Json explanation_json(const Outcome& outcome, const replay::Explanation& all) {
  const Prediction& p = outcome.prediction;
  Json json{{"schema", "commgauge.explanation/1"},
            {"program", outcome.trace.program},
            {"model", outcome.machine.kind},
            {"exact", outcome.is_exact},
            {"time_s",
             {{"value", all.time}, {"low", or_null(p.low.value)}, {"high", or_null(p.high.value)}}},
            {"confidence", outcome.model ? Json(outcome.model->confidence) : Json()},
            {"ranks", all.ranks},
            {"critical_path", path_json(all.critical_path)},
            {"answers", Json::array()},
            {"domino_paths", Json::array()},
            {"balance", Json::array()},
            {"efficiency", efficiency_json(all.efficiency)},
            {"notes", Json::array()}};
  for (const auto& answer : all.answers) json["answers"].push_back(answer_json(answer, all.time));
  for (const auto& path : all.domino_paths) json["domino_paths"].push_back(domino_json(path));
  for (const auto& balance : all.balance) json["balance"].push_back(balance_json(balance));
  for (const Diagnostic& note : outcome.notes) json["notes"].push_back(note.text());
  for (const Diagnostic& link : all.uplinks) json["notes"].push_back(link.text());
  for (const Diagnostic& note : all.notes) json["notes"].push_back(note.text());
  return json;
}

}  // namespace commgauge::tools
