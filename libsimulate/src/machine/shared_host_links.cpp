#include "commgauge/simulate/machine/shared_host_links.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "commgauge/base/error.hpp"
#include "commgauge/base/index.hpp"
#include "commgauge/base/places.hpp"
#include "commgauge/plan/host_plan.hpp"

namespace commgauge::simulate {

namespace {

/// NaN: not known.
double or_none(double value) { return value > 0 ? value : 0; }

bool limits_any(const std::vector<double>& links) {
  return std::ranges::any_of(links, [](double value) { return value > 0; });
}

SharedHostLinks free_hosts(const std::vector<std::string>& hosts) {
  SharedHostLinks links;
  for (const int place : numbered(hosts)) links.places.push_back(place);
  const std::size_t count = at(links.places.empty() ? 0 : std::ranges::max(links.places) + 1);
  for (auto* const of_hosts : {&links.out, &links.in, &links.inside, &links.both}) {
    of_hosts->assign(count, 0);
  }
  return links;
}

/// Those with fewer hosts first.
std::vector<std::size_t> from_inside(const std::vector<HostGroup>& groups) {
  std::vector<std::size_t> order(groups.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t g) { return groups[g].hosts.size(); });
  return order;
}

/// The largest group so far that holds it, or itself.
std::int32_t outermost(const std::vector<std::int32_t>& groups, std::int32_t place) {
  while (groups[at(place)] != SharedHostLinks::no_group) place = groups[at(place)];
  return place;
}

void check_levels(const SharedHostLinks& links) {
  for (std::size_t host = 0; host < links.inside.size(); ++host) {
    int levels = 0;
    for (std::int32_t group = links.groups[host]; group != SharedHostLinks::no_group;
         group = links.groups[at(group)]) {
      ++levels;
    }
    if (levels <= SharedHostLinks::most_levels) continue;
    throw InputError("a host is in " + std::to_string(levels) + " groups of the fabric (at most " +
                     std::to_string(SharedHostLinks::most_levels) +
                     " may be one within the other): leave some out");
  }
}

using PlacesOfHosts = std::map<std::string, std::int32_t>;

void add_groups(SharedHostLinks& links, const Fabric& fabric, const PlacesOfHosts& places) {
  links.groups.assign(links.inside.size(), SharedHostLinks::no_group);
  for (const std::size_t g : from_inside(fabric.groups)) {
    const auto group = static_cast<std::int32_t>(links.out.size());
    links.groups.push_back(SharedHostLinks::no_group);
    links.out.push_back(or_none(fabric.value.out[g]));
    links.in.push_back(or_none(fabric.value.in[g]));
    for (const std::string& host : fabric.groups[g].hosts) {
      const auto place = places.find(host);
      if (place == places.end()) continue;
      const std::int32_t within = outermost(links.groups, place->second);
      if (within != group) links.groups[at(within)] = group;
    }
  }
  check_levels(links);
}

void add_backbone(SharedHostLinks& links, const Fabric& fabric, const PlacesOfHosts& places) {
  links.backbone = or_none(fabric.value.backbone);
  links.sides.assign(links.inside.size(), -1);
  for (std::size_t side = 0; side < fabric.backbone_sides.size(); ++side) {
    for (const std::string& host : fabric.backbone_sides[side]) {
      const auto place = places.find(host);
      if (place != places.end()) links.sides[at(place->second)] = static_cast<std::int32_t>(side);
    }
  }
}

}  // namespace

bool SharedHostLinks::passes_backbone(std::int32_t here, std::int32_t there) const {
  if (sides.empty()) return false;
  const std::int32_t from = sides[at(here)];
  const std::int32_t to = sides[at(there)];
  return from >= 0 && to >= 0 && from != to;
}

SharedHostLinks::Route SharedHostLinks::route(int from, int to) const {
  const std::int32_t here = place(from);
  const std::int32_t there = place(to);
  const auto hosts = static_cast<std::int32_t>(inside.size());
  Route route;
  if (here == there) {
    route.add(4 * here + 2, inside[at(here)], false);
    return route;
  }
  const auto add_both = [&](std::int32_t host) {
    if (host < hosts) route.add(4 * host + 3, both[at(host)], false);
  };
  std::array<std::int32_t, most_levels + 1> entered{};
  int count = 0;
  // A group is above all that it holds: what is lower doesn't hold the other.
  for (std::int32_t a = here, b = there; a != b;) {
    if (a < b) {
      route.add(4 * a, out[at(a)], true);
      add_both(a);
      a = group_of(a);
    } else {
      entered[at(count++)] = b;
      b = group_of(b);
    }
  }
  if (passes_backbone(here, there))
    route.add(4 * static_cast<std::int32_t>(out.size()), backbone, true);
  while (count > 0) {
    const std::int32_t b = entered[at(--count)];
    route.add(4 * b + 1, in[at(b)], b >= hosts);
    add_both(b);
  }
  return route;
}

std::vector<int> SharedHostLinks::ranks_of(std::int32_t link) const {
  std::vector<int> ranks;
  for (std::size_t rank = 0; rank < places.size(); ++rank) {
    std::int32_t holder = places[rank];
    while (holder < link / 4) holder = group_of(holder);
    if (holder == link / 4) ranks.push_back(static_cast<int>(rank));
  }
  return ranks;
}

SharedHostLinks shared_host_links(const HostLinks& fitted, const std::vector<std::string>& hosts) {
  SharedHostLinks links;
  links.places.resize(hosts.size());
  for (const std::vector<int>& ranks : ranks_of_hosts(hosts)) {
    const std::size_t first = at(ranks.front());
    for (const int rank : ranks) {
      links.places[at(rank)] = static_cast<std::int32_t>(links.out.size());
    }
    links.out.push_back(or_none(fitted.out[first]));
    links.in.push_back(or_none(fitted.in[first]));
    links.inside.push_back(or_none(fitted.inside[first]));
    links.both.push_back(or_none(fitted.both[first]));
  }
  const bool any = limits_any(links.out) || limits_any(links.in) || limits_any(links.inside) ||
                   limits_any(links.both);
  return any ? links : SharedHostLinks{};
}

SharedHostLinks with_uplinks(SharedHostLinks links, const Fabric& fabric,
                             const std::vector<std::string>& hosts) {
  const FabricLinks& of = fabric.value;
  if (!limits_any(of.out) && !limits_any(of.in) && !(of.backbone > 0)) return links;
  if (!links.is_shared()) links = free_hosts(hosts);
  PlacesOfHosts places;
  for (std::size_t rank = 0; rank < hosts.size(); ++rank) places[hosts[rank]] = links.places[rank];
  add_groups(links, fabric, places);
  add_backbone(links, fabric, places);
  return links;
}

}  // namespace commgauge::simulate
