#include "commgauge/model/contention.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <string>

namespace commgauge {

namespace {

/// Beyond noise and by more than this.
constexpr double worth_saying = 1.05;

/// Whether the links between hosts tell what pairs at once take: of one rank a host, as measured.
bool explains_pairs_at_once(const Model& model) {
  constexpr double well = 0.1;
  if (!model.fabric || model.fabric->misfit > well) return false;
  const std::vector<std::string> hosts = model.hosts();
  return std::set<std::string>(hosts.begin(), hosts.end()).size() == hosts.size();
}

/// Of the launch in which pairs disturbed one another most.
const Launch* worst_of(const Model& model) {
  const Launch* worst = nullptr;
  for (const Launch& launch : model.launches) {
    const Contention& one = launch.contention;
    if (!one.tested || !(one.low > worth_saying)) continue;
    if (worst == nullptr || one.ratio > worst->contention.ratio) worst = &launch;
  }
  return has_host_limits(model) || explains_pairs_at_once(model) ? nullptr : worst;
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

}  // namespace

std::map<std::string, int> cores_of_hosts(std::span<const RankPlace> ranks) {
  std::map<std::string, std::set<int>> cores;
  for (const RankPlace& place : ranks) {
    cores[place.host].insert(place.cores.begin(), place.cores.end());
  }
  std::map<std::string, int> counts;
  for (const auto& [host, there] : cores) {
    counts[host] = std::max(1, static_cast<int>(there.size()));
  }
  return counts;
}

bool cores_are_shared(std::span<const RankPlace> ranks) {
  std::map<std::string, int> free = cores_of_hosts(ranks);
  return std::ranges::any_of(ranks, [&](const RankPlace& place) { return --free[place.host] < 0; });
}

bool has_host_limits(const Model& model) {
  return model.host_links && is_limit_known(model.host_links->value);
}

std::optional<Contention> contention_of(const Model& model) {
  const Launch* const worst = worst_of(model);
  if (worst == nullptr) return {};
  return worst->contention;
}

std::optional<Diagnostic> contention_note(const Model& model) {
  const Launch* const worst = worst_of(model);
  if (worst == nullptr) return {};
  const Contention& one = worst->contention;
  const std::string why = cores_are_shared(worst->ranks)
                              ? "ranks share cores there, and models know each pair alone"
                              : "what they share, links, switches or memory, is in no model";
  return Diagnostic{.kind = contention_kind,
                    .problem = "pairs of ranks that communicate at once take " + number(one.ratio) +
                               " times as long as alone",
                    .reason = number(one.low) + " to " + number(one.high) + " times; " + why,
                    .advice =
                        "what has several messages at once may take up to so long, and "
                        "intervals of such end there at least"};
}

}  // namespace commgauge
