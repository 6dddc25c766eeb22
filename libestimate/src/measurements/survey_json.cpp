#include "measurements/survey_json.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

namespace commgauge::detail {

namespace {

/// By rank: which of `hosts`, whose names come in the order of their first ranks.
std::vector<int> numbers_of(const std::vector<RankPlace>& places, std::vector<std::string>& hosts) {
  std::map<std::string, int> known;
  std::vector<int> numbers;
  for (const RankPlace& place : places) {
    const auto [host, is_new] = known.emplace(place.host, static_cast<int>(hosts.size()));
    if (is_new) hosts.push_back(place.host);
    numbers.push_back(host->second);
  }
  return numbers;
}

OrderedJson column_of(const std::vector<SurveyedTrip>& trips, auto get) {
  OrderedJson column = OrderedJson::array();
  for (const SurveyedTrip& trip : trips) column.push_back(get(trip));
  return column;
}

void read_places(const Reader& json, Survey& survey) {
  const Reader hosts = json["hosts"];
  const Reader host_of = json["host_of"];
  for (std::size_t i = 0; i < host_of.size(); ++i) {
    RankPlace place;
    place.host =
        hosts[static_cast<std::size_t>(host_of[i].index(static_cast<int>(hosts.size()), "host"))]
            .text();
    survey.ranks.push_back(std::move(place));
  }
  if (!json.has("kernel_s")) return;
  const Reader kernels = json["kernel_s"];
  kernels.expect_size(survey.ranks.size());
  for (std::size_t i = 0; i < kernels.size(); ++i) survey.ranks[i].kernel_s = kernels[i].positive();
}

void read_trips(const Reader& json, Survey& survey) {
  const int n = static_cast<int>(survey.ranks.size());
  const Reader from = json["from"];
  for (const char* column : {"to", "size_bytes", "time_s"}) json[column].expect_size(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) {
    survey.trips.push_back({from[i].rank(n), json["to"][i].rank(n),
                            json["size_bytes"][i].size_bytes(), json["time_s"][i].positive()});
    if (survey.trips.back().from == survey.trips.back().to) json["to"][i].fail("is `from`, too");
  }
}

void read_sample(const Reader& json, int sampled, Survey& survey) {
  json.expect_size(static_cast<std::size_t>(sampled));
  for (std::size_t i = 0; i < json.size(); ++i) {
    survey.sample.push_back(json[i].rank(static_cast<int>(survey.ranks.size())));
    if (i > 0 && survey.sample[i] <= survey.sample[i - 1]) {
      json[i].fail("is not above the rank before it");
    }
  }
}

}  // namespace

OrderedJson survey_to_json(const Survey& survey) {
  std::vector<std::string> hosts;
  const std::vector<int> host_of = numbers_of(survey.ranks, hosts);
  OrderedJson json{{"hosts", hosts}, {"host_of", host_of}};
  const auto is_timed = [](const RankPlace& place) { return !std::isnan(place.kernel_s); };
  if (std::ranges::all_of(survey.ranks, is_timed)) {
    OrderedJson& kernels = json["kernel_s"] = OrderedJson::array();
    for (const RankPlace& place : survey.ranks) kernels.push_back(place.kernel_s);
  }
  if (!survey.kinds.empty()) json["kinds"] = survey.kinds;
  json["sample"] = survey.sample;
  json["trips"] = {
      {"from", column_of(survey.trips, [](const auto& trip) { return trip.from; })},
      {"to", column_of(survey.trips, [](const auto& trip) { return trip.to; })},
      {"size_bytes", column_of(survey.trips, [](const auto& trip) { return trip.size.value; })},
      {"time_s", column_of(survey.trips, [](const auto& trip) { return trip.time_s; })}};
  return json;
}

Survey read_survey(const Reader& json, int sampled) {
  Survey survey;
  read_places(json, survey);
  if (json.has("kinds")) {
    const Reader kinds = json["kinds"];
    kinds.expect_size(survey.ranks.size());
    for (std::size_t i = 0; i < kinds.size(); ++i) survey.kinds.push_back(kinds[i].text());
  }
  read_sample(json["sample"], sampled, survey);
  read_trips(json["trips"], survey);
  return survey;
}

}  // namespace commgauge::detail
