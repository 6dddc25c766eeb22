#include "replay/json/result_json.hpp"

#include <cmath>

namespace commgauge::tools {

using Json = nlohmann::ordered_json;

namespace {

Json topology_json(const TopologyOptions& topology) {
  const simulate::LinkParameters& links = topology.links;
  return {{"name", topology.name},
          {"start_up_s", links.start_up.value},
          {"per_byte_s", links.per_byte.value},
          {"block_bytes", links.block ? Json(links.block->value) : Json()},
          {"switching", to_text(links.switching)},
          {"contention", links.has_contention}};
}

}  // namespace

Json result_json(const Outcome& all) {
  const auto or_null = [](double value) { return std::isnan(value) ? Json() : Json(value); };
  const replay::Result& result = all.result;
  const Prediction& p = all.prediction;
  Json json{{"schema", "commgauge.replay/1"},
            {"program", all.trace.program},
            {"model", all.machine.kind},
            {"exact", all.is_exact},
            {"time_s", p.time.value},
            {"low_s", or_null(p.low.value)},
            {"high_s", or_null(p.high.value)},
            {"confidence", all.model ? Json(all.model->confidence) : Json()},
            {"extrapolated", p.extrapolated},
            {"computing_s", result.computing()},
            {"work_s", result.work()},
            {"utilisation", result.utilisation()},
            {"notes", Json::array()}};
  if (all.topology) json["topology"] = topology_json(*all.topology);
  for (const Diagnostic& note : all.notes) json["notes"].push_back(note.text());
  for (std::size_t r = 0; r < result.ranks.size(); ++r) {
    const replay::RankResult& rank = result.ranks[r];
    const Estimate& ratio = all.machine.time_ratios[r];
    json["ranks"].push_back({{"rank", r},
                             {"host", all.machine.hosts[r]},
                             {"end_s", rank.end},
                             {"computing_s", rank.shares.computing},
                             {"sending_s", rank.shares.sending},
                             {"receiving_s", rank.shares.receiving},
                             {"waiting_s", rank.shares.waiting},
                             {"sleeping_s", rank.shares.sleeping},
                             {"utilisation", result.utilisation(rank)},
                             {"time_ratio", ratio.value},
                             {"time_ratio_low", ratio.low},
                             {"time_ratio_high", ratio.high}});
    if (rank.further_threads > 0) json["ranks"].back()["further_threads_s"] = rank.further_threads;
  }
  return json;
}

Json traffic_json(const Outcome& all) {
  Json json = Json::array();
  for (const replay::Traffic& pair : all.result.traffic) {
    json.push_back(
        {{"from", pair.from}, {"to", pair.to}, {"messages", pair.messages}, {"bytes", pair.bytes}});
  }
  return json;
}

std::string json_text(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace commgauge::tools
