#include "measurements/launch_json.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

#include "base/diagnostic_json.hpp"
#include "base/json_runs.hpp"
#include "commgauge/measurements/sweep.hpp"

namespace commgauge::detail {

namespace {

OrderedJson as_json(const RankPlace& place) {
  OrderedJson json{{"host", place.host}, {"cores", place.cores}};
  if (!std::isnan(place.kernel_s)) json["kernel_s"] = place.kernel_s;
  return json;
}

OrderedJson as_json(const Contention& contention) {
  return {{"tested", contention.tested},
          {"ratio", contention.ratio},
          {"low", contention.low},
          {"high", contention.high}};
}

OrderedJson as_json(const std::optional<std::uint64_t>& number) {
  return number ? OrderedJson(*number) : OrderedJson();
}

OrderedJson as_json(const Disturbance& d) {
  return {{"not_watched", d.not_watched},       {"blocks", d.blocks},
          {"lost_blocks", d.lost_blocks},       {"rows", d.rows},
          {"disturbed_rows", d.disturbed_rows}, {"remeasured_rows", d.remeasured_rows},
          {"stolen_share", d.stolen_share}};
}

OrderedJson as_json(const std::vector<Bytes>& sizes) {
  OrderedJson json = OrderedJson::array();
  for (const Bytes size : sizes) json.push_back(size.value);
  return json;
}

OrderedJson as_json(const MeasuredSizes& sizes) {
  OrderedJson one_to_two;
  if (sizes.one_to_two) one_to_two = sizes.one_to_two->value;
  return {{"round_trips", as_json(sizes.round_trips)},
          {"one_to_two", std::move(one_to_two)},
          {"bulk", as_json(sizes.bulk)}};
}

OrderedJson as_json(const SweepRun& run) {
  OrderedJson result{{"timing", run.timing},
                     {"late", run.late},
                     {"limited", run.limited ? run.limited->text() : ""}};
  if (run.limited) result["diagnostic"] = detail::as_json(*run.limited);
  return result;
}

OrderedJson each_of(const std::vector<RankPlace>& places) {
  OrderedJson ranks = OrderedJson::array();
  for (const RankPlace& place : places) ranks.push_back(as_json(place));
  return ranks;
}

OrderedJson in_runs(const std::vector<RankPlace>& places) {
  std::vector<std::string> hosts;
  std::vector<std::vector<int>> cores;
  std::vector<double> kernels;
  for (const RankPlace& place : places) {
    hosts.push_back(place.host);
    cores.push_back(place.cores);
    kernels.push_back(place.kernel_s);
  }
  OrderedJson ranks{{"hosts", runs_of(hosts,
                                      [](const auto& host) {
                                        return OrderedJson{{"host", host}};
                                      })},
                    {"cores", runs_of(cores, [](const auto& list) {
                       return OrderedJson{{"cores", list}};
                     })}};
  const auto is_known = [](double kernel) { return !std::isnan(kernel); };
  if (std::ranges::any_of(kernels, is_known)) ranks["kernel_s"] = kernels;
  return ranks;
}

OrderedJson as_json(const Launch& launch, PlaceList places) {
  OrderedJson ranks = places == PlaceList::runs ? in_runs(launch.ranks) : each_of(launch.ranks);
  OrderedJson json{{"time_utc", launch.time_utc},
                   {"commgauge_version", launch.commgauge_version},
                   {"mpi_library", launch.mpi_library},
                   {"mpi_standard", launch.mpi_standard},
                   {"ranks", std::move(ranks)},
                   {"environment", launch.environment},
                   {"options", launch.options},
                   {"seed", launch.seed},
                   {"confidence", launch.confidence},
                   {"precision", launch.precision},
                   {"clock_resolution_s", launch.clock_resolution_s},
                   {"clock_cost_s", launch.clock_cost_s},
                   {"wait", launch.wait},
                   {"buffers", launch.buffers},
                   {"schedule", launch.schedule},
                   {"contention", as_json(launch.contention)},
                   {"eager_limit_bytes", as_json(launch.eager_limit_bytes)},
                   {"eager_probed_bytes", as_json(launch.eager_probed_bytes)},
                   {"passes", launch.passes},
                   {"rounds", launch.rounds},
                   {"elapsed_s", launch.elapsed_s},
                   {"timed_s", launch.timed_s},
                   {"complete", launch.complete},
                   {"incomplete_reason", launch.incomplete_reason}};
  if (launch.resumed > 0) json["resumed"] = launch.resumed;
  if (launch.disturbance) json["disturbance"] = as_json(*launch.disturbance);
  if (launch.sizes != MeasuredSizes{}) json["sizes_bytes"] = as_json(launch.sizes);
  if (launch.sweep_run) json["sweep_run"] = as_json(*launch.sweep_run);
  return json;
}

std::vector<int> read_cores(const Reader& cores) {
  std::vector<int> list;
  for (std::size_t i = 0; i < cores.size(); ++i) list.push_back(cores[i].count());
  return list;
}

RankPlace read_place(const Reader& json) {
  RankPlace place;
  place.host = json["host"].text();
  if (json.has("kernel_s")) place.kernel_s = json["kernel_s"].positive();
  place.cores = read_cores(json["cores"]);
  return place;
}

Contention read_contention(const Reader& json) {
  const Contention result{json["tested"].flag(), json["ratio"].number_or_nan(),
                          json["low"].number_or_nan(), json["high"].number_or_nan()};
  if (result.low > result.ratio) json["low"].fail("is above the ratio");
  if (result.high < result.ratio) json["high"].fail("is below the ratio");
  return result;
}

Disturbance read_disturbance(const Reader& json) {
  Disturbance result;
  result.not_watched = json["not_watched"].text();
  result.blocks = json["blocks"].count<long>();
  result.lost_blocks = read_part(json["lost_blocks"], result.blocks, "blocks");
  result.rows = json["rows"].count<long>();
  result.disturbed_rows = read_part(json["disturbed_rows"], result.rows, "rows");
  result.remeasured_rows = read_part(json["remeasured_rows"], result.rows, "rows");
  result.stolen_share = json["stolen_share"].non_negative();
  if (result.stolen_share > 1) json["stolen_share"].fail("is above 1");
  return result;
}

std::optional<std::uint64_t> read_size_or_null(const Reader& json) {
  if (json.is_null()) return std::nullopt;
  return json.size_bytes().value;
}

std::vector<Bytes> read_sizes(const Reader& json) {
  std::vector<Bytes> sizes;
  for (std::size_t i = 0; i < json.size(); ++i) sizes.push_back(json[i].size_bytes());
  return sizes;
}

MeasuredSizes read_measured_sizes(const Reader& json) {
  MeasuredSizes sizes{read_sizes(json["round_trips"]), {}, read_sizes(json["bulk"])};
  if (!json["one_to_two"].is_null()) sizes.one_to_two = json["one_to_two"].size_bytes();
  return sizes;
}

/// Files of older versions have the sentence only.
std::optional<Diagnostic> limited_by(const std::string& sentence) {
  if (sentence.empty()) return std::nullopt;
  return Diagnostic{.kind = "sweeps_limited", .problem = sentence};
}

std::optional<Diagnostic> read_limited(const Reader& json) {
  const std::string sentence = json["limited"].text();
  if (json.has("diagnostic")) return read_diagnostic(json["diagnostic"], sentence);
  return limited_by(sentence);
}

SweepRun read_sweep_run(const Reader& json) {
  return {json["timing"].text(), json["late"].count<long>(), read_limited(json)};
}

// Files of older versions have sizes and sweeps in the texts of the options only.

std::string option_of(const Launch& launch, const std::string& name) {
  const auto found = launch.options.find(name);
  return found == launch.options.end() ? "" : found->second;
}

/// Numbers with anything between them; none where there is no such option.
std::vector<Bytes> sizes_in_options(const Launch& launch, const std::string& name) {
  std::string text = option_of(launch, name);
  std::ranges::replace(text, ',', ' ');
  std::istringstream words{text};
  std::vector<Bytes> sizes;
  for (std::uint64_t size{}; words >> size;) sizes.push_back({size});
  return sizes;
}

MeasuredSizes sizes_in_options(const Launch& launch) {
  MeasuredSizes sizes{
      sizes_in_options(launch, "sizes"), {}, sizes_in_options(launch, "bulk_sizes")};
  const std::vector<Bytes> one_to_two = sizes_in_options(launch, "one_to_two_size");
  if (!one_to_two.empty()) sizes.one_to_two = one_to_two.front();
  return sizes;
}

std::optional<SweepRun> sweep_run_in_options(const Launch& launch) {
  SweepRun run{option_of(launch, "timing"), 0, limited_by(option_of(launch, "sweep_limited"))};
  const std::string late = option_of(launch, "sweep_late");
  std::from_chars(late.data(), late.data() + late.size(), run.late);
  if (run.timing.empty() && late.empty() && !run.limited) return std::nullopt;
  return run;
}

std::vector<RankPlace> read_each(const Reader& ranks) {
  std::vector<RankPlace> places;
  for (std::size_t i = 0; i < ranks.size(); ++i) places.push_back(read_place(ranks[i]));
  return places;
}

int total_of(const Reader& runs, int most) {
  long total = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Reader count = runs[i]["count"];
    total += count.count();
    if (total > most) count.fail("makes more than " + std::to_string(most) + " in all");
  }
  return static_cast<int>(total);
}

/// What in_runs() wrote.
std::vector<RankPlace> read_runs(const Reader& ranks, int most, bool is_largest) {
  const int n = is_largest ? most : total_of(ranks["hosts"], most);
  std::vector<RankPlace> places;
  for_each_run(ranks["hosts"], n, [&](const Reader& run, int count) {
    RankPlace place;
    place.host = run["host"].text();
    places.insert(places.end(), static_cast<std::size_t>(count), place);
  });
  std::size_t rank = 0;
  for_each_run(ranks["cores"], n, [&](const Reader& run, int count) {
    const std::vector<int> cores = read_cores(run["cores"]);
    for (int i = 0; i < count; ++i) places[rank++].cores = cores;
  });
  if (!ranks.has("kernel_s")) return places;
  const Reader kernels = ranks["kernel_s"];
  kernels.expect_size(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (!kernels[i].is_null()) places[i].kernel_s = kernels[i].positive();
  }
  return places;
}

/// An object of runs, or an object for each.
std::vector<RankPlace> read_places(const Reader& ranks, int most, bool is_largest) {
  const auto n = static_cast<std::size_t>(most);
  const bool has_runs = ranks.has("hosts");
  if (!has_runs && (is_largest || ranks.size() > n)) ranks.expect_size(n);
  std::vector<RankPlace> places = has_runs ? read_runs(ranks, most, is_largest) : read_each(ranks);
  if (places.empty()) ranks.fail("is empty");
  return places;
}

/// @param most  ranks of the launch before: of merged launches the largest come first.
Launch read_launch(const Reader& json, int most, bool is_largest) {
  Launch launch;
  launch.time_utc = json["time_utc"].text();
  launch.commgauge_version = json["commgauge_version"].text();
  launch.mpi_library = json["mpi_library"].text();
  launch.mpi_standard = json["mpi_standard"].text();
  launch.ranks = read_places(json["ranks"], most, is_largest);
  launch.environment = read_texts(json["environment"]);
  launch.options = read_texts(json["options"]);
  launch.seed = json["seed"].unsigned_integer(std::numeric_limits<std::uint64_t>::max());
  launch.confidence = json["confidence"].confidence();
  launch.precision = json["precision"].non_negative();
  launch.clock_resolution_s = json["clock_resolution_s"].non_negative();
  launch.clock_cost_s = json["clock_cost_s"].non_negative();
  launch.wait = json["wait"].text();
  launch.buffers = json["buffers"].text();
  launch.schedule = json["schedule"].text();
  launch.contention = read_contention(json["contention"]);
  launch.eager_limit_bytes = read_size_or_null(json["eager_limit_bytes"]);
  if (json.has("eager_probed_bytes")) {
    launch.eager_probed_bytes = read_size_or_null(json["eager_probed_bytes"]);
  }
  launch.passes = json["passes"].count(most_passes);
  launch.rounds = json["rounds"].count<long>();
  launch.elapsed_s = json["elapsed_s"].non_negative();
  launch.timed_s = json["timed_s"].non_negative();
  launch.complete = json["complete"].flag();
  launch.incomplete_reason = json["incomplete_reason"].text();
  if (json.has("resumed")) launch.resumed = json["resumed"].count();
  if (json.has("disturbance")) launch.disturbance = read_disturbance(json["disturbance"]);
  launch.sizes =
      json.has("sizes_bytes") ? read_measured_sizes(json["sizes_bytes"]) : sizes_in_options(launch);
  launch.sweep_run =
      json.has("sweep_run") ? read_sweep_run(json["sweep_run"]) : sweep_run_in_options(launch);
  return launch;
}

}  // namespace

std::map<std::string, std::string> read_texts(const Reader& json) {
  std::map<std::string, std::string> result;
  for (const std::string& key : json.keys()) result[key] = json[key].text();
  return result;
}

OrderedJson launches_to_json(const std::vector<Launch>& launches, PlaceList places) {
  OrderedJson result = OrderedJson::array();
  for (const Launch& launch : launches) result.push_back(as_json(launch, places));
  return result;
}

std::vector<Launch> read_launches(const Reader& launches, int n) {
  std::vector<Launch> result;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const int most = i == 0 ? n : static_cast<int>(result.back().ranks.size());
    result.push_back(read_launch(launches[i], most, i == 0));
  }
  return result;
}

}  // namespace commgauge::detail
