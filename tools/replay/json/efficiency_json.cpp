#include "replay/json/efficiency_json.hpp"

#include <cmath>

namespace commgauge::tools {

using Json = nlohmann::ordered_json;

namespace {

void add(Json& json, const replay::Efficiency& one) {
  const auto or_null = [](double share) { return std::isfinite(share) ? Json(share) : Json(); };
  json["load_balance"] = or_null(one.load_balance());
  json["serialisation"] = or_null(one.serialisation());
  json["transfer"] = or_null(one.transfer());
  json["communication"] = or_null(one.communication());
  json["parallel"] = or_null(one.parallel());
  json["mean_useful_s"] = one.mean_useful;
  json["most_useful_s"] = one.most_useful;
  json["time_s"] = one.time;
  json["free_time_s"] = one.free_time;
}

}  // namespace

Json efficiency_json(const replay::Efficiencies& all) {
  Json json;
  add(json, all.run);
  json["regions"] = Json::array();
  for (const replay::RegionEfficiency& region : all.regions) {
    Json one{{"region", region.name}, {"instances", region.instances}};
    add(one, region);
    json["regions"].push_back(std::move(one));
  }
  return json;
}

}  // namespace commgauge::tools
