#include "costs/fabric_of_hosts.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "commgauge/base/index.hpp"
#include "commgauge/base/unknown_value.hpp"

namespace commgauge {

namespace {

using HostNames = std::vector<std::string>;

/// Hosts that are like some of the measured ones, by copy.
std::map<int, HostNames> copies_of(const HostNames& measured, const std::vector<HostLike>& hosts) {
  std::map<int, HostNames> copies;
  for (const HostLike& host : hosts) {
    if (std::ranges::find(measured, host.like) != measured.end()) {
      copies[host.copy].push_back(host.name);
    }
  }
  return copies;
}

struct CopiesOfHosts {
  std::vector<HostGroup> groups;
  std::vector<std::size_t> like;  ///< of each, the measured group
};

/// The least of the measured group's parents that has a copy.
std::optional<int> parent_of(const Fabric& measured, std::size_t group, int copy,
                             const std::map<std::pair<std::size_t, int>, int>& places) {
  for (auto up = measured.groups[group].parent; up; up = measured.groups[at(*up)].parent) {
    if (const auto place = places.find({at(*up), copy}); place != places.end()) {
      return place->second;
    }
  }
  return {};
}

CopiesOfHosts copies_of_groups(const Fabric& measured, const std::vector<HostLike>& hosts,
                               int count) {
  CopiesOfHosts result;
  std::map<std::pair<std::size_t, int>, int> places;
  std::vector<int> copies;
  for (std::size_t g = 0; g < measured.groups.size(); ++g) {
    for (auto& [copy, names] : copies_of(measured.groups[g].hosts, hosts)) {
      if (std::ssize(names) == count) continue;
      places[{g, copy}] = static_cast<int>(result.groups.size());
      result.groups.push_back({std::move(names), {}});
      result.like.push_back(g);
      copies.push_back(copy);
    }
  }
  for (std::size_t k = 0; k < result.groups.size(); ++k) {
    result.groups[k].parent = parent_of(measured, result.like[k], copies[k], places);
  }
  return result;
}

std::vector<HostNames> copies_of_sides(const Fabric& measured, const std::vector<HostLike>& hosts) {
  std::vector<HostNames> sides;
  for (const HostNames& side : measured.backbone_sides) {
    for (auto& [copy, names] : copies_of(side, hosts)) sides.push_back(std::move(names));
  }
  return sides.size() > 1 ? sides : std::vector<HostNames>{};
}

FabricLinks copied(const FabricLinks& links, const CopiesOfHosts& copies, bool has_backbone) {
  FabricLinks result{{}, {}, has_backbone ? links.backbone : unknown_value};
  for (const std::size_t group : copies.like) {
    result.out.push_back(links.out[group]);
    result.in.push_back(links.in[group]);
  }
  return result;
}

bool limits_anything(const FabricLinks& links) {
  const auto limits = [](double per_byte) { return per_byte > 0; };
  return std::ranges::any_of(links.out, limits) || std::ranges::any_of(links.in, limits) ||
         limits(links.backbone);
}

bool groups_differ(const Fabric& fabric) {
  return std::ranges::any_of(fabric.groups, [&](const HostGroup& group) {
    return group.hosts.size() != fabric.groups.front().hosts.size();
  });
}

bool are_nested(const Fabric& fabric) {
  return std::ranges::any_of(fabric.groups,
                             [](const HostGroup& group) { return group.parent.has_value(); });
}

}  // namespace

std::optional<Fabric> fabric_of_hosts(const Fabric& measured, const std::vector<HostLike>& hosts,
                                      int count) {
  Fabric result = measured;
  CopiesOfHosts copies = copies_of_groups(measured, hosts, count);
  result.backbone_sides = copies_of_sides(measured, hosts);
  for (FabricLinks* const links : {&result.value, &result.low, &result.high}) {
    *links = copied(*links, copies, !result.backbone_sides.empty());
  }
  for (FabricLinks& links : result.replicates) {
    links = copied(links, copies, !result.backbone_sides.empty());
  }
  result.groups = std::move(copies.groups);
  result.notes.emplace_back("what pairs take at full load is that of the hosts that were measured");
  return limits_anything(result.value) ? std::optional{result} : std::nullopt;
}

Diagnostic larger_fabric(const Fabric& measured, const Fabric& larger) {
  std::string reason = std::to_string(larger.groups.size()) +
                       " groups of hosts, each like one of the model's " +
                       std::to_string(measured.groups.size());
  if (are_nested(measured)) {
    reason += "; the outermost stand side by side";
  } else if (groups_differ(measured)) {
    reason += "; these differ in size and come in turn";
  }
  const std::string backbone =
      larger.backbone_sides.empty() ? "" : ", and the backbone carries no more than the model's";
  return {.kind = "extended_fabric",
          .count = static_cast<long>(larger.groups.size()),
          .problem = "links between hosts are assumed to be like the model's",
          .reason = reason,
          .advice = "each group's links carry what those of its like do" + backbone};
}

}  // namespace commgauge
