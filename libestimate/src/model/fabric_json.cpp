#include "model/fabric_json.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "commgauge/base/index.hpp"
#include "commgauge/base/unknown_value.hpp"

namespace commgauge::detail {

namespace {

constexpr int most_levels = 4;  ///< that a machine may have, one within the other

using Names = std::set<std::string>;
using OfGroups = std::vector<double> FabricLinks::*;

OrderedJson interval_to_json(double value, double low, double high) {
  return {{"value", value}, {"low", low}, {"high", high}};
}

OrderedJson way_to_json(const Fabric& fabric, OfGroups way, std::size_t group) {
  return interval_to_json((fabric.value.*way)[group], (fabric.low.*way)[group],
                          (fabric.high.*way)[group]);
}

OrderedJson group_to_json(const Fabric& fabric, std::size_t place) {
  const HostGroup& group = fabric.groups[place];
  OrderedJson parent;
  if (group.parent) parent = *group.parent;
  return {{"hosts", group.hosts},
          {"parent", std::move(parent)},
          {"out", way_to_json(fabric, &FabricLinks::out, place)},
          {"in", way_to_json(fabric, &FabricLinks::in, place)}};
}

OrderedJson backbone_to_json(const Fabric& fabric) {
  if (fabric.backbone_sides.empty()) return {};
  OrderedJson json =
      interval_to_json(fabric.value.backbone, fabric.low.backbone, fabric.high.backbone);
  json["sides"] = fabric.backbone_sides;
  return json;
}

OrderedJson replicates_to_json(const std::vector<FabricLinks>& replicates) {
  OrderedJson out = OrderedJson::array();
  OrderedJson in = OrderedJson::array();
  OrderedJson backbone = OrderedJson::array();
  for (const FabricLinks& one : replicates) {
    out.push_back(one.out);
    in.push_back(one.in);
    backbone.push_back(one.backbone);
  }
  return {{"out", std::move(out)}, {"in", std::move(in)}, {"backbone", std::move(backbone)}};
}

double positive_or_nan(const Reader& json) {
  return json.is_null() ? unknown_value : json.positive();
}

Estimate read_interval(const Reader& json) {
  const Estimate one{positive_or_nan(json["value"]), json["low"].number_or_nan(),
                     positive_or_nan(json["high"])};
  if (std::isnan(one.value) && !std::isnan(one.low)) json["low"].fail("is set where value is null");
  if (one.low > one.value) json["low"].fail("is above the value");
  if (one.high < one.value) json["high"].fail("is below the value");
  return one;
}

void read_way(const Reader& json, OfGroups way, Fabric& fabric) {
  const Estimate one = read_interval(json);
  (fabric.value.*way).push_back(one.value);
  (fabric.low.*way).push_back(one.low);
  (fabric.high.*way).push_back(one.high);
}

/// Each of them one of `known`, and none twice.
std::vector<std::string> read_hosts_of(const Reader& json, const Names& known) {
  std::vector<std::string> hosts = json.texts();
  if (hosts.empty()) json.fail("is empty");
  Names seen;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    if (!known.contains(hosts[i])) {
      json[i].fail("is " + in_quotes(hosts[i]) + ", which no rank of this file is on");
    }
    if (!seen.insert(hosts[i]).second) json[i].fail("is there twice");
  }
  return hosts;
}

Names names_in(const HostGroup& group) { return {group.hosts.begin(), group.hosts.end()}; }

bool holds(const Names& all, const Names& part) {
  return all.size() > part.size() && std::ranges::includes(all, part);
}

bool have_common(const Names& a, const Names& b) {
  return std::ranges::any_of(a, [&](const std::string& name) { return b.contains(name); });
}

/// @throws InputError  some of two groups' hosts are in both, and neither holds the other.
void expect_nested(const Reader& json, const std::vector<Names>& groups) {
  for (std::size_t k = 0; k < groups.size(); ++k) {
    for (std::size_t i = 0; i < k; ++i) {
      if (!have_common(groups[k], groups[i])) continue;
      if (holds(groups[k], groups[i]) || holds(groups[i], groups[k])) continue;
      json[k]["hosts"].fail("has hosts of group " + std::to_string(i) +
                            ", and neither holds the other");
    }
  }
}

/// @throws InputError  more than most_levels hold one another.
void expect_few_levels(const Reader& json, const std::vector<Names>& groups) {
  for (std::size_t k = 0; k < groups.size(); ++k) {
    const auto around =
        std::ranges::count_if(groups, [&](const Names& one) { return holds(one, groups[k]); });
    if (around < most_levels) continue;
    json[k].fail("is in " + std::to_string(around) + " others, where at most " +
                 std::to_string(most_levels - 1) + " may be");
  }
}

void expect_parent(const Reader& json, const HostGroup& group, std::size_t place,
                   const std::vector<Names>& groups) {
  if (group.parent && !holds(groups[at(*group.parent)], groups[place])) {
    json.fail("is a group that does not hold these hosts and others");
  }
  for (std::size_t k = 0; k < groups.size(); ++k) {
    if (!holds(groups[k], groups[place])) continue;
    if (!group.parent) json.fail("is null, but group " + std::to_string(k) + " holds these hosts");
    if (holds(groups[at(*group.parent)], groups[k])) {
      json.fail("is not the smallest group that holds these hosts");
    }
  }
}

void read_groups(const Reader& json, const Names& known, Fabric& fabric) {
  const int count = static_cast<int>(json.size());
  std::vector<Names> all;
  for (std::size_t k = 0; k < json.size(); ++k) {
    HostGroup group{read_hosts_of(json[k]["hosts"], known), {}};
    const Reader parent = json[k]["parent"];
    if (!parent.is_null()) group.parent = parent.index(count, "group");
    read_way(json[k]["out"], &FabricLinks::out, fabric);
    read_way(json[k]["in"], &FabricLinks::in, fabric);
    all.push_back(names_in(group));
    fabric.groups.push_back(std::move(group));
  }
  expect_nested(json, all);
  expect_few_levels(json, all);
  for (std::size_t k = 0; k < all.size(); ++k) {
    expect_parent(json[k]["parent"], fabric.groups[k], k, all);
  }
}

void read_backbone(const Reader& json, const Names& known, Fabric& fabric) {
  fabric.value.backbone = fabric.low.backbone = fabric.high.backbone = unknown_value;
  if (json.is_null()) return;
  const Estimate one = read_interval(json);
  fabric.value.backbone = one.value;
  fabric.low.backbone = one.low;
  fabric.high.backbone = one.high;
  const Reader sides = json["sides"];
  if (sides.size() < 2) sides.fail("has fewer than two sides");
  Names seen;
  for (std::size_t k = 0; k < sides.size(); ++k) {
    fabric.backbone_sides.push_back(read_hosts_of(sides[k], known));
    for (const std::string& host : fabric.backbone_sides.back()) {
      if (!seen.insert(host).second) sides[k].fail("has a host of another side");
    }
  }
}

std::vector<double> read_of_groups(const Reader& json, std::size_t groups) {
  json.expect_size(groups);
  std::vector<double> times;
  for (std::size_t k = 0; k < groups; ++k) times.push_back(positive_or_nan(json[k]));
  return times;
}

void read_link_replicates(const Reader& json, Fabric& fabric) {
  const Reader out = json["out"];
  json["in"].expect_size(out.size());
  json["backbone"].expect_size(out.size());
  for (std::size_t r = 0; r < out.size(); ++r) {
    fabric.replicates.push_back({read_of_groups(out[r], fabric.groups.size()),
                                 read_of_groups(json["in"][r], fabric.groups.size()),
                                 positive_or_nan(json["backbone"][r])});
  }
}

}  // namespace

OrderedJson as_json(const Fabric& fabric) {
  OrderedJson groups = OrderedJson::array();
  for (std::size_t k = 0; k < fabric.groups.size(); ++k) groups.push_back(group_to_json(fabric, k));
  const Estimate& load = fabric.full_load;
  return {{"groups", std::move(groups)},
          {"backbone", backbone_to_json(fabric)},
          {"full_load", interval_to_json(load.value, load.low, load.high)},
          {"alone", fabric.alone},
          {"misfit", fabric.misfit},
          {"rounds", fabric.rounds},
          {"message_bytes", fabric.message_bytes},
          {"notes", fabric.notes},
          {"replicates", replicates_to_json(fabric.replicates)}};
}

Fabric read_fabric(const Reader& json, const std::vector<std::string>& hosts) {
  const Names known(hosts.begin(), hosts.end());
  Fabric fabric;
  read_groups(json["groups"], known, fabric);
  read_backbone(json["backbone"], known, fabric);
  fabric.full_load = read_interval(json["full_load"]);
  fabric.alone = json["alone"].positive();
  fabric.misfit = json["misfit"].non_negative();
  fabric.rounds = json["rounds"].count();
  fabric.message_bytes = json["message_bytes"].positive();
  fabric.notes = json["notes"].texts();
  read_link_replicates(json["replicates"], fabric);
  return fabric;
}

}  // namespace commgauge::detail
