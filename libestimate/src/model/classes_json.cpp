#include "model/classes_json.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/json_runs.hpp"
#include "commgauge/base/places.hpp"
#include "commgauge/base/text.hpp"

namespace commgauge::detail {

namespace {

/// Indexed by Deviation::Where.
constexpr std::array<std::string_view, 3> where_names{"within_host", "host", "between_hosts"};
/// 2·kinds² has to be an int.
constexpr std::size_t most_kinds = 10'000;

OrderedJson as_json(const RankKind& kind) {
  return {{"name", kind.name},
          {"hosts", kind.hosts},
          {"spread_fixed", kind.spread_fixed},
          {"spread_per_byte", kind.spread_per_byte}};
}

OrderedJson as_json(const Estimate& estimate) {
  return {{"value", estimate.value}, {"low", estimate.low}, {"high", estimate.high}};
}

OrderedJson as_json(const Deviation& deviation) {
  return {{"where", where_names.at(static_cast<std::size_t>(deviation.where))},
          {"hosts", deviation.hosts},
          {"fixed", as_json(deviation.fixed)},
          {"per_byte", as_json(deviation.per_byte)}};
}

double read_spread(const Reader& json) {
  return json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.non_negative();
}

RankKind read_kind(const Reader& json) {
  return {json["name"].text(), json["hosts"].count(), read_spread(json["spread_fixed"]),
          read_spread(json["spread_per_byte"])};
}

Estimate read_ratio(const Reader& json) {
  const Estimate ratio{json["value"].number_or_nan(), json["low"].number_or_nan(),
                       json["high"].number_or_nan()};
  if (ratio.low > ratio.value) json["low"].fail("is above the value");
  if (ratio.high < ratio.value) json["high"].fail("is below the value");
  return ratio;
}

Deviation::Where read_where(const Reader& json) {
  for (std::size_t i = 0; i < where_names.size(); ++i) {
    if (json.text() == where_names.at(i)) return static_cast<Deviation::Where>(i);
  }
  json.fail("is " + in_quotes(json.text()) + ", which is not " +
            one_of({where_names.begin(), where_names.end()}));
}

Deviation read_deviation(const Reader& json) {
  Deviation deviation{read_where(json["where"]), json["hosts"].texts(), read_ratio(json["fixed"]),
                      read_ratio(json["per_byte"])};
  json["hosts"].expect_size(deviation.where == Deviation::Where::between_hosts ? 2 : 1);
  return deviation;
}

PairClasses::Rank read_rank(const Reader& json, int kinds, int ranks) {
  return {json["kind"].index(kinds, "kind"), json["group"].index(ranks, "group")};
}

std::vector<PairClasses::Rank> read_ranks(const Reader& json, int kinds, int ranks) {
  std::vector<PairClasses::Rank> all;
  for_each_run(json, ranks, [&](const Reader& run, int count) {
    all.insert(all.end(), static_cast<std::size_t>(count), read_rank(run, kinds, ranks));
  });
  return all;
}

std::vector<int> read_sample(const Reader& json, int ranks) {
  std::vector<int> sample;
  for (std::size_t i = 0; i < json.size(); ++i) sample.push_back(json[i].rank(ranks));
  return sample;
}

/// Groups by numbers below that of the ranks, in the order of their first.
std::vector<PairClasses::Rank> renumbered(const PairClasses& classes) {
  std::vector<std::int32_t> groups;
  for (int rank = 0; rank < classes.ranks(); ++rank) groups.push_back(classes.of(rank).group);
  std::vector<PairClasses::Rank> ranks;
  for (const int number : numbered(groups)) {
    ranks.push_back({classes.of(static_cast<int>(ranks.size())).kind, number});
  }
  return ranks;
}

}  // namespace

OrderedJson as_json(const MachineClasses& classes) {
  OrderedJson kinds = OrderedJson::array();
  for (const RankKind& kind : classes.kinds) kinds.push_back(as_json(kind));
  OrderedJson ranks = runs_of(renumbered(*classes.pairs), [](const PairClasses::Rank& rank) {
    return OrderedJson{{"kind", rank.kind}, {"group", rank.group}};
  });
  OrderedJson json{
      {"found", classes.found}, {"kinds", std::move(kinds)}, {"ranks", std::move(ranks)}};
  if (!classes.sample.empty()) json["sample"] = classes.sample;
  OrderedJson& deviations = json["deviations"] = OrderedJson::array();
  for (const Deviation& deviation : classes.deviations) deviations.push_back(as_json(deviation));
  return json;
}

MachineClasses read_classes(const Reader& json, int ranks) {
  MachineClasses classes;
  const Reader kinds = json["kinds"];
  if (kinds.size() == 0 || kinds.size() > most_kinds) {
    kinds.fail("has " + std::to_string(kinds.size()) + " entries where 1 to " +
               std::to_string(most_kinds) + " belong");
  }
  for (std::size_t i = 0; i < kinds.size(); ++i) classes.kinds.push_back(read_kind(kinds[i]));
  const int count = static_cast<int>(kinds.size());
  classes.pairs =
      std::make_shared<const PairClasses>(read_ranks(json["ranks"], count, ranks), count);
  const Reader deviations = json["deviations"];
  for (std::size_t i = 0; i < deviations.size(); ++i) {
    classes.deviations.push_back(read_deviation(deviations[i]));
  }
  if (json.has("sample")) classes.sample = read_sample(json["sample"], ranks);
  classes.found = json["found"].text();
  return classes;
}

}  // namespace commgauge::detail
