#include "commgauge/costs/extended.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <type_traits>
#include <utility>

#include "commgauge/base/error.hpp"
#include "commgauge/base/places.hpp"
#include "commgauge/base/statistics.hpp"
#include "commgauge/base/text.hpp"
#include "commgauge/base/unknown_value.hpp"
#include "commgauge/costs/costs_of_pairs.hpp"
#include "commgauge/model/classed.hpp"
#include "commgauge/model/model.hpp"
#include "commgauge/model/model_list.hpp"
#include "costs/fabric_of_hosts.hpp"
#include "costs/fill_classes.hpp"
#include "costs/host_effects.hpp"
#include "costs/refinement.hpp"

namespace commgauge {

namespace {

/// Ranks of each host, hosts in the order of their first ranks.
std::vector<std::vector<int>> ranks_by_host(const PairClasses& classes) {
  std::vector<std::int32_t> groups;
  for (int rank = 0; rank < classes.ranks(); ++rank) groups.push_back(classes.of(rank).group);
  return places_of_numbers(numbered(groups));
}

std::vector<PairClasses::Rank> ranks_by_name(const Model& model) {
  std::vector<PairClasses::Rank> ranks;
  for (const int group : numbered(model.hosts())) ranks.push_back({0, group});
  return ranks;
}

std::vector<std::vector<int>> ranks_by_host(const Model& model) {
  return ranks_by_host(model.classes ? *model.classes->pairs
                                     : PairClasses(ranks_by_name(model), 1));
}

/// Of messages of any size, the best ranked; empty: there is none.
std::string model_of_times(const Model& model) {
  for (const std::string& name : model.names()) {
    if (facts_of(name).tells.any_size) return name;
  }
  return "";
}

/// Mean one-way times between each host and the others, of an empty message and of what a byte
/// adds.
struct HostMeans {
  std::vector<double> fixed;
  std::vector<double> per_byte;
};

HostMeans means_of_hosts(const Model& model, const PairClasses& classes) {
  HostMeans means;
  const std::string name = model_of_times(model);
  if (name.empty()) return means;
  const CostsOfPairs costs_of = costs_of_pairs(model, name);
  const auto size = static_cast<double>(std::max(fitted_sizes(model, name).last, Bytes{1}).value);
  const int hosts = static_cast<int>(ranks_by_host(classes).size());
  std::vector<double> fixed(at(hosts));
  std::vector<double> per_byte(at(hosts));
  std::vector<double> count(at(hosts));
  for (int from = 0; from < model.ranks; ++from) {
    for (int to = 0; to < model.ranks; ++to) {
      if (classes.of(from).group == classes.of(to).group) continue;
      const PairCosts costs = costs_of(from, to);
      if (costs.assumed) continue;
      const double empty = costs.one_way.at(0);
      const double each = (costs.one_way.at(size) - empty) / size;
      if (std::isnan(empty + each)) continue;
      for (const int rank : {from, to}) {
        const std::size_t host = at(classes.of(rank).group);
        fixed[host] += empty;
        per_byte[host] += each;
        ++count[host];
      }
    }
  }
  for (std::size_t host = 0; host < at(hosts); ++host) {
    if (count[host] == 0) continue;
    means.fixed.push_back(fixed[host] / count[host]);
    means.per_byte.push_back(per_byte[host] / count[host]);
  }
  return means;
}

/// As it is among many. Of n hosts each one's own mean holds 1/(n − 1) of the others' less.
double spread_of_hosts(const std::vector<double>& means) {
  if (means.size() < 3 || !(mean(means) > 0)) return unknown_value;
  const double others = static_cast<double>(means.size()) - 1;
  return std::sqrt(variance(means)) / mean(means) / (1 - 1 / others);
}

/// A host that others are to be like, and those that aren't.
struct Pattern {
  std::vector<std::vector<int>> hosts;
  std::vector<std::string> left_out;
};

Pattern pattern_of(const Model& model) {
  std::set<std::string> deviating;
  for (const Deviation& deviation : model.classes->deviations) {
    if (deviation.where != Deviation::Where::between_hosts) {
      deviating.insert(deviation.hosts.begin(), deviation.hosts.end());
    }
  }
  Pattern pattern;
  const auto all = ranks_by_host(*model.classes->pairs);
  for (const std::vector<int>& ranks : all) {
    const std::string name = model.host(ranks.front());
    if (deviating.contains(name)) {
      pattern.left_out.push_back(name);
    } else {
      pattern.hosts.push_back(ranks);
    }
  }
  if (pattern.hosts.empty()) pattern = {all, {}};
  return pattern;
}

/// A message takes the mean of what its two hosts' factors make of it.
Effects effects_of_hosts(const Refinement& refined, const DividedKinds& divided,
                         const std::vector<HostEffect>& host_effects) {
  Effects effects{std::vector<HostEffect>(at(divided.classes.pairs->classes())), {}};
  for (const KindAndGroup& kind : divided.kinds) {
    effects.of_kinds.push_back(host_effects[at(kind.group)]);
  }
  refined.for_each_class([&](std::size_t, std::size_t after, int from, int to) {
    const HostEffect& a = effects.of_kinds[at(from)];
    const HostEffect& b = effects.of_kinds[at(to)];
    effects.of_classes[after] = {(a.fixed + b.fixed) / 2, (a.per_byte + b.per_byte) / 2};
  });
  return effects;
}

void refine(Model& model, const HostEffects& host_effects, int per_host) {
  std::vector<int> groups;
  for (int rank = 0; rank < model.ranks; ++rank) {
    groups.push_back(host_effects.group_of(rank / per_host));
  }
  DividedKinds divided =
      divided_kinds(model, groups, [&](int rank) { return ", like " + model.host(rank); });
  const Refinement refined(model.classes->pairs, divided.classes.pairs, divided.kinds);
  const Effects ordinary = effects_of_hosts(refined, divided, host_effects.ordinary());
  for_each_fit(
      [&](const FitFacts&, auto& fitted) {
        if (!fitted) return;
        const auto central = fitted->value;
        for (auto* const one : {&fitted->value, &fitted->low, &fitted->high}) {
          refined(*one, central, ordinary);
        }
        const auto drawn = host_effects.drawn(fitted->replicates.size(), model.confidence,
                                              share_of_spread(model, fitted->replicate_kind));
        for (std::size_t r = 0; r < fitted->replicates.size(); ++r) {
          const auto own = fitted->replicates[r];
          refined(fitted->replicates[r], own, effects_of_hosts(refined, divided, drawn[r]));
        }
      },
      model);
  model.classes = std::move(divided.classes);
}

void check(const Model& model, int hosts, int per_host) {
  if (hosts < 1 || per_host < 1) {
    throw InputError("a machine of " + std::to_string(hosts) + " hosts of " +
                     std::to_string(per_host) +
                     " ranks (there is nobody to communicate): give at least 1 of each");
  }
  const PairsThere known = pairs_there(*model.classes->pairs);
  if (hosts > 1 && !known.between_hosts) {
    throw InputError(
        "the model's ranks are all on one host (it knows no message between hosts): "
        "calibrate on two hosts or more, or ask for one");
  }
  if (per_host > 1 && !known.within_hosts) {
    throw InputError(
        "the model has one rank on each host (it knows no message within a host): "
        "calibrate with two ranks on a host, or ask for one");
  }
}

/// Which host of the pattern the h-th is like.
int like(int host, int hosts, int of_pattern) {
  const int whole = hosts / of_pattern * of_pattern;
  if (host < whole) return host % of_pattern;
  return static_cast<int>(static_cast<std::int64_t>(host - whole) * of_pattern / (hosts - whole));
}

RankPlace place_of(const Model& model, int rank) {
  return model.launches.empty() ? RankPlace{} : model.launches.front().ranks[at(rank)];
}

struct NewHosts {
  MachineClasses classes;
  std::vector<RankPlace> places;
  std::vector<int> kinds;  ///< of each host, that of its first rank
  std::vector<HostLike> like;
};

NewHosts hosts_like(const Model& model, const Pattern& pattern, int hosts, int per_host) {
  const PairClasses& classes = *model.classes->pairs;
  NewHosts result{{nullptr, model.classes->kinds, {}, {}, model.classes->found}, {}, {}, {}};
  for (RankKind& kind : result.classes.kinds) kind.hosts = 0;
  std::vector<PairClasses::Rank> ranks;
  std::map<int, int> copies;
  for (int host = 0; host < hosts; ++host) {
    const int one = like(host, hosts, static_cast<int>(pattern.hosts.size()));
    const std::vector<int>& own = pattern.hosts[at(one)];
    const int copy = ++copies[one];
    std::set<int> kinds;
    for (int r = 0; r < per_host; ++r) {
      const int rank = own[at(r) % own.size()];
      kinds.insert(classes.of(rank).kind);
      ranks.push_back({classes.of(rank).kind, host});
      result.places.push_back(place_of(model, rank));
      if (copy > 1) result.places.back().host += "#" + std::to_string(copy);
    }
    for (const int kind : kinds) ++result.classes.kinds[at(kind)].hosts;
    result.kinds.push_back(classes.of(own.front()).kind);
    result.like.push_back({result.places.back().host, model.host(own.front()), copy});
  }
  result.classes.pairs = std::make_shared<const PairClasses>(std::move(ranks), classes.kinds());
  return result;
}

/// With the number of hosts that were measured.
std::vector<RankKind> measured_kinds(const MachineClasses& classes) {
  std::vector<std::set<std::int32_t>> groups(classes.kinds.size());
  for (int rank = 0; rank < classes.pairs->ranks(); ++rank) {
    if (!classes.sample.empty() && std::ranges::count(classes.sample, rank) == 0) continue;
    groups[at(classes.pairs->of(rank).kind)].insert(classes.pairs->of(rank).group);
  }
  std::vector<RankKind> kinds = classes.kinds;
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    kinds[kind].hosts = static_cast<int>(groups[kind].size());
  }
  return kinds;
}

void warn(Model& model, const Model& before, const Pattern& pattern, bool differ) {
  const auto hosts = std::to_string(pattern.hosts.size());
  model.warnings.push_back(
      {.kind = "extended",
       .count = model.ranks,
       .problem = "the machine is made of hosts like " +
                  (pattern.hosts.size() == 1 ? std::string{"the one"} : "the " + hosts) +
                  " that the model is of",
       .reason = std::to_string(model.ranks) + " ranks, " + std::to_string(before.ranks) +
                 " in the model",
       .advice = differ ? "hosts are assumed to differ as those do, and what all share, such as a "
                          "network that more hosts fill, is not in it"
                        : "how hosts differ isn't known and not in the intervals, nor what all "
                          "share, such as a network that more hosts fill"});
  if (pattern.left_out.empty()) return;
  const auto count = std::ssize(pattern.left_out);
  model.warnings.push_back(
      {.kind = "deviating_hosts_left_out",
       .count = static_cast<long>(count),
       .problem = std::to_string(count) + (count == 1 ? " host that isn't" : " hosts that aren't") +
                  " like the kind " + (count == 1 ? "is" : "are") + " left out",
       .reason = comma_list(pattern.left_out),
       .advice = "the machine is one without such"});
}

}  // namespace

MachineClasses placed_on_hosts(const Model& dense) {
  auto pairs = std::make_shared<const PairClasses>(ranks_by_name(dense), 1);
  const HostMeans means = means_of_hosts(dense, *pairs);
  const auto hosts = static_cast<int>(ranks_by_host(*pairs).size());
  return {std::move(pairs),
          {{dense.host(0), hosts, spread_of_hosts(means.fixed), spread_of_hosts(means.per_byte)}},
          {},
          {},
          "placement"};
}

namespace {

/// Whether ranks, given by host, are `per_host` on each of `hosts` hosts, host by host: who asks
/// for such a machine like theirs asks for theirs.
bool is_laid_out_so(const std::vector<std::vector<int>>& ranks_by_host, int hosts, int per_host) {
  if (std::ssize(ranks_by_host) != hosts) return false;
  int next = 0;
  for (const std::vector<int>& ranks : ranks_by_host) {
    if (std::ssize(ranks) != per_host) return false;
    for (const int rank : ranks) {
      if (rank != next++) return false;
    }
  }
  return true;
}

}  // namespace

Model extended(const Model& model, int hosts, int per_host) {
  if (is_laid_out_so(ranks_by_host(model), hosts, per_host)) return model;
  Model small = model.classes ? model : pooled(model, placed_on_hosts(model));
  check(small, hosts, per_host);
  fill_classes(small, std::vector<std::int64_t>(at(small.classes->pairs->classes()), 1));
  const Pattern pattern = pattern_of(small);
  NewHosts like_these = hosts_like(small, pattern, hosts, per_host);
  const HostEffects host_effects(measured_kinds(*small.classes), like_these.kinds);
  Model large = laid_out(small, std::move(like_these.classes), std::move(like_these.places));
  if (host_effects.any()) refine(large, host_effects, per_host);
  warn(large, model, pattern, host_effects.any());
  if (model.fabric) {
    large.fabric = fabric_of_hosts(*model.fabric, like_these.like, hosts);
    if (large.fabric) large.warnings.push_back(larger_fabric(*model.fabric, *large.fabric));
  }
  return large;
}

LargerModel larger_model(const Model& model, int hosts, int per_host) {
  LargerModel larger{extended(model, hosts, per_host), {}};
  const auto known = static_cast<std::ptrdiff_t>(model.warnings.size());
  larger.assumed.assign(larger.model.warnings.begin() + known, larger.model.warnings.end());
  return larger;
}

}  // namespace commgauge
