#include "commgauge/costs/model_of_job.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include "commgauge/base/error.hpp"
#include "commgauge/base/file_kind.hpp"
#include "commgauge/base/index.hpp"
#include "commgauge/base/places.hpp"
#include "commgauge/base/statistics.hpp"
#include "commgauge/base/text.hpp"
#include "commgauge/base/unknown_value.hpp"
#include "commgauge/base/whole_number.hpp"
#include "commgauge/costs/shifted.hpp"
#include "commgauge/model/classed.hpp"
#include "costs/each_its_own.hpp"
#include "costs/fabric_of_hosts.hpp"
#include "costs/fill_classes.hpp"

namespace commgauge {

namespace {

constexpr int most_ranks_of_line = 1 << 20;

/// "n7" of "n7.cluster"
std::string without_domain(const std::string& host) { return host.substr(0, host.find('.')); }

bool has_domain(const std::string& host) { return host.find('.') != std::string::npos; }

/// "n" of "n7.cluster": hosts that were numbered have it in common.
std::string without_number(const std::string& host) {
  std::string stem = without_domain(host);
  stem.erase(stem.find_last_not_of("0123456789") + 1);
  return stem;
}

std::string domain_of(const std::string& host) { return host.substr(without_domain(host).size()); }

/// One without a domain may be of any.
bool differ_in_number_alone(const std::string& a, const std::string& b) {
  const bool one_domain = !has_domain(a) || !has_domain(b) || domain_of(a) == domain_of(b);
  return one_domain && without_number(a) == without_number(b);
}

/// The hosts of a model by classes, by name.
class KnownHosts {
 public:
  explicit KnownHosts(const Model& model) : model_{model} {
    for (int rank = 0; rank < model.ranks; ++rank) ranks_[model.host(rank)].push_back(rank);
    for (const auto& [name, ranks] : ranks_) by_short_name_[without_domain(name)].push_back(name);
  }

  /// Its ranks; nothing: the model hasn't the host.
  [[nodiscard]] const std::vector<int>* find(const std::string& host) const {
    if (const auto same = ranks_.find(host); same != ranks_.end()) return &same->second;
    const auto similar = by_short_name_.find(without_domain(host));
    if (similar == by_short_name_.end() || similar->second.size() != 1) return nullptr;
    const std::string& name = similar->second.front();
    const bool one_lacks_a_domain = has_domain(name) != has_domain(host);
    return one_lacks_a_domain ? &ranks_.at(name) : nullptr;
  }

  /// Those of a host that it is like by its name; nothing: names don't tell.
  [[nodiscard]] const std::vector<int>* like(const std::string& host) const {
    const std::vector<int>* found = nullptr;
    if (without_number(host).empty()) return nullptr;
    for (const auto& [name, ranks] : ranks_) {
      if (!differ_in_number_alone(name, host) || deviates(name)) continue;
      if (found != nullptr && kinds_of(*found) != kinds_of(ranks)) return nullptr;
      if (found == nullptr) found = &ranks;
    }
    return found;
  }

 private:
  [[nodiscard]] bool deviates(const std::string& host) const {
    return std::ranges::any_of(model_.classes->deviations, [&](const Deviation& deviation) {
      return deviation.where != Deviation::Where::between_hosts && deviation.hosts.front() == host;
    });
  }
  [[nodiscard]] std::vector<int> kinds_of(const std::vector<int>& ranks) const {
    std::vector<int> kinds;
    for (const int rank : ranks) kinds.push_back(model_.classes->pairs->of(rank).kind);
    return kinds;
  }

  const Model& model_;
  std::map<std::string, std::vector<int>> ranks_;
  std::map<std::string, std::vector<std::string>> by_short_name_;
};

/// Which of a model's ranks each rank of a job is like, and where the job's ranks are.
struct Mapping {
  struct Host {
    std::string name;               ///< as the job has it
    const std::vector<int>* ranks;  ///< of the model's host that it is, or is like
    bool assumed{};                 ///< only its name tells
    std::size_t count{};            ///< ranks of the job
  };
  std::vector<Host> hosts;           ///< in the order of the job's ranks
  std::vector<std::int32_t> groups;  ///< by rank of the job: place in `hosts`
  std::vector<int> like;             ///< by rank of the job
};

/// Makes a mapping rank by rank. A host that is called with and without its domain is one.
class Mapper {
 public:
  /// @param by_classes  hosts that the model lacks may be like others
  Mapper(const Model& model, bool by_classes) : known_{model}, by_classes_{by_classes} {}

  void add(const std::string& name) {
    const std::int32_t group = group_of(name);
    Mapping::Host& host = mapping_.hosts[at(group)];
    mapping_.groups.push_back(group);
    mapping_.like.push_back(
        host.ranks == nullptr ? 0 : (*host.ranks)[host.count++ % host.ranks->size()]);
  }

  /// @throws InputError  hosts that nothing tells
  [[nodiscard]] Mapping mapping() const {
    std::vector<std::string> unknown;
    for (const Mapping::Host& host : mapping_.hosts) {
      if (host.ranks == nullptr) unknown.push_back(host.name);
    }
    if (unknown.empty()) return mapping_;
    throw InputError(
        "the model doesn't know " +
        (unknown.size() == 1 ? "the host " : std::to_string(unknown.size()) + " hosts, ") +
        comma_list(unknown) +
        " (nor hosts of one kind that are called so but for a number): calibrate with them, or "
        "leave them out");
  }

 private:
  std::int32_t group_of(const std::string& name) {
    const auto next = static_cast<std::int32_t>(mapping_.hosts.size());
    const auto [place, is_new] = by_name_.try_emplace(name, next);
    if (!is_new) return place->second;
    const std::vector<int>* ranks = known_.find(name);
    const bool is_known = ranks != nullptr;
    if (is_known) {
      const auto [same, is_first] = by_ranks_.try_emplace(ranks, next);
      place->second = same->second;
      if (!is_first) return place->second;
    } else if (by_classes_) {
      ranks = known_.like(name);
    }
    mapping_.hosts.push_back({name, ranks, !is_known});
    return next;
  }

  KnownHosts known_;
  bool by_classes_;
  Mapping mapping_;
  std::map<std::string, std::int32_t> by_name_;
  std::map<const std::vector<int>*, std::int32_t> by_ranks_;
};

/// The classes of the job's ranks. Kinds of which it has no rank stay, without hosts.
MachineClasses classes_of(const Model& model, const Mapping& mapping) {
  const MachineClasses& before = *model.classes;
  MachineClasses after{nullptr, before.kinds, {}, {}, before.found};
  std::vector<std::set<std::int32_t>> hosts_of_kind(before.kinds.size());
  std::vector<PairClasses::Rank> ranks;
  for (std::size_t rank = 0; rank < mapping.like.size(); ++rank) {
    const std::int32_t kind = before.pairs->of(mapping.like[rank]).kind;
    hosts_of_kind[at(kind)].insert(mapping.groups[rank]);
    ranks.push_back({kind, mapping.groups[rank]});
  }
  for (std::size_t kind = 0; kind < after.kinds.size(); ++kind) {
    after.kinds[kind].hosts = static_cast<int>(hosts_of_kind[kind].size());
  }
  after.pairs = std::make_shared<const PairClasses>(std::move(ranks), before.pairs->kinds());
  std::map<std::string, std::string> names;
  for (const Mapping::Host& host : mapping.hosts) {
    if (!host.assumed) names[model.host(host.ranks->front())] = host.name;
  }
  for (Deviation deviation : before.deviations) {
    const auto is_there = [&](const std::string& host) { return names.contains(host); };
    if (!std::ranges::all_of(deviation.hosts, is_there)) continue;
    for (std::string& host : deviation.hosts) host = names[host];
    after.deviations.push_back(std::move(deviation));
  }
  return after;
}

std::vector<RankPlace> places_of(const Model& model, const Mapping& mapping) {
  std::vector<RankPlace> places;
  for (std::size_t rank = 0; rank < mapping.like.size(); ++rank) {
    RankPlace place = model.launches.front().ranks[at(mapping.like[rank])];
    place.host = mapping.hosts[at(mapping.groups[rank])].name;
    places.push_back(std::move(place));
  }
  return places;
}

/// Pairs within a host, or between hosts, of which the model has none at all can't be told.
void require_pairs(const PairClasses& before, const PairClasses& after) {
  const PairsThere known = pairs_there(before);
  const PairsThere wanted = pairs_there(after);
  if (wanted.between_hosts && !known.between_hosts) {
    throw InputError(
        "the model's ranks are all on one host (it knows no message between hosts): "
        "calibrate on two hosts or more");
  }
  if (wanted.within_hosts && !known.within_hosts) {
    throw InputError(
        "the model has one rank on each host, the job has several (it knows no message "
        "within a host): calibrate with two ranks on a host");
  }
}

/// Drops checks if the job lacks the kind of one of their ranks.
void drop_checks_of_others(Model& model, const PairClasses& after) {
  std::set<std::int32_t> there;
  for (int rank = 0; rank < after.ranks(); ++rank) there.insert(after.of(rank).kind);
  std::erase_if(model.checks, [&](const Check& check) {
    const auto is_there = [&](int rank) {
      return rank < 0 || there.contains(model.classes->pairs->of(rank).kind);
    };
    return !is_there(check.from) || !is_there(check.to);
  });
}

/// How far a host may be from the mean of the hosts that it is taken for one of. Those that were
/// measured tell it; where they don't they are alike at least.
double sd_of_assumed(double spread, int hosts, double confidence) {
  if (std::isnan(spread) || hosts < 2) return alike_within / 2;
  const double few = student_quantile(confidence, hosts - 1) / normal_quantile(confidence);
  return spread * few * std::sqrt(1 + 1.0 / hosts);
}

/// With intervals that hold how hosts of a kind differ, for those that the model doesn't know.
Model with_assumed_hosts(Model job, const Model& machine, const Mapping& mapping) {
  std::map<std::string, std::string> apart;
  for (const Mapping::Host& host : mapping.hosts) {
    if (host.assumed) apart[host.name] = "by its name";
  }
  if (apart.empty()) return job;
  const MachineClasses classes = *job.classes;
  const auto variance_of = [&](int rank, double RankKind::*spread) {
    if (!apart.contains(job.host(rank))) return 0.0;
    const auto kind = at(classes.pairs->of(rank).kind);
    const double sd = sd_of_assumed(classes.kinds[kind].*spread, machine.classes->kinds[kind].hosts,
                                    job.confidence);
    return sd * sd;
  };
  return shifted(job, apart, [&](int from, int to) {
    const auto sd = [&](double RankKind::*spread) {
      const double both = variance_of(from, spread) + variance_of(to, spread);
      return std::sqrt(job.host(from) == job.host(to) ? 2 * both : both);
    };
    return TimeFactors{1, 1, sd(&RankKind::spread_fixed), sd(&RankKind::spread_per_byte)};
  });
}

/// Of hosts that only their names tell nobody knows the group.
std::optional<Fabric> fabric_of_job(const Model& model, const Mapping& mapping) {
  if (!model.fabric) return {};
  std::vector<HostLike> hosts;
  for (const Mapping::Host& host : mapping.hosts) {
    if (!host.assumed) hosts.push_back({host.name, model.host(host.ranks->front()), 0});
  }
  return fabric_of_hosts(*model.fabric, hosts, static_cast<int>(mapping.hosts.size()));
}

/// @param has_fabric  the model knows links between hosts
std::vector<Diagnostic> what_is_assumed(const Mapping& mapping, bool has_fabric) {
  std::vector<std::string> assumed;
  std::vector<std::string> crowded;
  for (const Mapping::Host& host : mapping.hosts) {
    if (host.assumed) assumed.push_back(host.name);
    if (host.count > host.ranks->size()) crowded.push_back(host.name);
  }
  std::vector<Diagnostic> all;
  const auto add = [&](const char* kind, const std::vector<std::string>& hosts,
                       const std::string& one, const std::string& several, const char* advice) {
    if (hosts.empty()) return;
    const auto count = static_cast<long>(hosts.size());
    all.push_back({.kind = kind,
                   .count = count,
                   .problem = std::to_string(count) + (count == 1 ? one : several),
                   .reason = comma_list(hosts),
                   .advice = advice});
  };
  add("assumed_hosts", assumed,
      " host isn't in the model and is taken for one of the kind that is called so",
      " hosts aren't in the model and are taken for some of the kind that is called so",
      "intervals hold how hosts of a kind differ; calibrate with them if they may differ by more");
  if (has_fabric) {
    add("no_uplinks", assumed, " host isn't in the model's fabric and shares no link with others",
        " hosts aren't in the model's fabric and share no link with others",
        "their messages wait for none there; calibrate with them if they may");
  }
  add("crowded_hosts", crowded, " host has more ranks than in the model",
      " hosts have more ranks than in the model",
      "two at one place cost each other what ranks of a host do in the mean; calibrate with as "
      "many "
      "if that matters");
  return all;
}

bool is_the_models_own(const Model& model, const std::vector<std::string>& hosts) {
  if (std::ssize(hosts) != model.ranks) return false;
  for (int rank = 0; rank < model.ranks; ++rank) {
    if (model.host(rank) != hosts[at(rank)]) return false;
  }
  return true;
}

}  // namespace

LargerModel model_of_job(const Model& model, const std::vector<std::string>& hosts) {
  if (hosts.empty()) throw InputError("a job without ranks (nobody communicates): give its hosts");
  if (model.launches.empty()) {
    throw InputError("the model doesn't say on which hosts its ranks are: calibrate again");
  }
  if (is_the_models_own(model, hosts)) return {model, {}};
  Model classed = model.classes ? model : pooled(model, each_its_own(model));
  Mapper mapper(classed, model.classes.has_value());
  for (const std::string& host : hosts) mapper.add(host);
  const Mapping mapping = mapper.mapping();
  MachineClasses classes = classes_of(classed, mapping);
  require_pairs(*classed.classes->pairs, *classes.pairs);
  fill_classes(classed, classes.pairs->pair_counts());
  drop_checks_of_others(classed, *classes.pairs);
  Model job = laid_out(classed, std::move(classes), places_of(classed, mapping));
  job.fabric = fabric_of_job(model, mapping);
  LargerModel result{with_assumed_hosts(std::move(job), classed, mapping),
                     what_is_assumed(mapping, model.fabric.has_value())};
  std::ranges::copy(result.assumed, std::back_inserter(result.model.warnings));
  return result;
}

namespace {

/// "4" of "4" or "slots=4"; nothing: it is no number of ranks.
std::optional<int> ranks_of(std::string_view text) {
  constexpr std::string_view slots = "slots=";
  if (text.starts_with(slots)) text.remove_prefix(slots.size());
  const std::optional<int> number = whole_number(text);
  return number && *number >= 1 && *number <= most_ranks_of_line ? number : std::nullopt;
}

}  // namespace

std::vector<std::string> hosts_from_text(const std::string& text, int ranks,
                                         const std::string& name) {
  refuse_other_kinds(text, name, "a list of hosts");
  std::vector<std::string> hosts;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    line.erase(std::ranges::find(line, '#'), line.end());
    std::istringstream words(line);
    std::string host;
    if (!(words >> host)) continue;
    std::optional<int> own = ranks;
    if (const std::size_t colon = host.find(':'); colon != std::string::npos) {
      own = ranks_of(std::string_view{host}.substr(colon + 1));
      host.erase(colon);
    }
    std::string word;
    if (words >> word) own = word.starts_with("slots=") ? ranks_of(word) : std::nullopt;
    if (host.empty() || !own || words >> word) {
      throw InputError(name + ", line " + std::to_string(number) +
                       ": it isn't a host and its number of ranks: give n7, n7:4 or n7 slots=4");
    }
    hosts.insert(hosts.end(), at(*own), host);
  }
  if (hosts.empty()) throw InputError(name + " has no line: give a host in each, such as n7:4");
  return hosts;
}

}  // namespace commgauge
