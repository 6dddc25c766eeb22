#include "fit/fabric.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>

#include "commgauge/base/error.hpp"
#include "commgauge/base/index.hpp"
#include "commgauge/base/places.hpp"
#include "commgauge/base/text.hpp"
#include "commgauge/base/unknown_value.hpp"
#include "commgauge/model/spread.hpp"
#include "commgauge/plan/fabric_look.hpp"
#include "plan/fabric_load.hpp"

namespace commgauge {

namespace {

constexpr double poor_fabric = 0.1;    ///< a misfit that is to be said
constexpr double often_lost = 0.05;    ///< of the repetitions
constexpr std::size_t most_named = 8;  ///< hosts

/// What a byte takes of a link [s/byte].
struct SharedTime {
  bool limits{};
  double value{};                  ///< where it doesn't limit, a bound
  std::vector<double> replicates;  ///< likewise
  double apart{};                  ///< each search's own is so far from `value`
  bool unsure{};                   ///< only one search saw that it limits
  LoadedLink link{};               ///< it is of this one,
  std::array<int, 2> rounds{};     ///< by these rounds of the look, one of each search
};

struct SharedGroup {
  std::vector<int> hosts;
  SharedTime out;
  SharedTime in;
};

/// What one launch saw, or all of them.
struct SharedLinks {
  std::vector<SharedGroup> groups;
  std::optional<SharedTime> backbone;
  std::vector<int> sides;  ///< of the backbone, numbered
  SharedTime full_load;    ///< [bytes/s]
  double alone{};          ///< likewise
  int rounds{};
  std::vector<std::string> notes;
  std::vector<Diagnostic> warnings;
};

/// A launch, and what its search made of the recorded rounds.
struct LookedAt {
  const FabricRun* run{};
  FabricLook look;
  SharedLinks links;
};

/// A search whose rounds aren't those that were recorded.
struct RoundMissing {};

FabricLook replay(const FabricRun& run) {
  std::size_t next = 0;
  const MeasureAtOnce recorded = [&](std::span<const HostMessage> pairs) {
    const bool is_there =
        next < run.rounds.size() && std::ranges::equal(run.rounds[next].pairs, pairs);
    if (!is_there) throw RoundMissing{};
    return byte_times(run, run.rounds[next++]);
  };
  auto look = look_for_fabric(static_cast<int>(run.hosts.size()), recorded, run.seed);
  if (!look) throw FitError("pairs of hosts take otherwise than their hosts do with others");
  return *std::move(look);
}

Diagnostic not_looked(const std::string& reason, const std::string& advice) {
  return {.kind = "fabric_not_found",
          .problem = "links that hosts share could not be looked for",
          .reason = reason,
          .advice = advice};
}

std::string names_of(const FabricRun& run, const std::vector<int>& hosts) {
  std::vector<std::string> names;
  for (const int host : hosts) {
    if (names.size() == most_named) break;
    names.push_back(run.hosts[at(host)]);
  }
  const std::string text = comma_list(names);
  if (hosts.size() <= most_named) return text;
  return text + " and " + std::to_string(hosts.size() - most_named) + " others";
}

LoadedLink link_of(const std::vector<int>& hosts, Passing way, int all, double rate = 0) {
  LoadedLink link{std::vector<int>(at(all)), way, rate};
  for (const int host : hosts) link.side[at(host)] = 1;
  return link;
}

/// A recorded round: by the medians, or of one repetition.
LoadRound load_round(const LookedAt& one, int round, std::optional<std::size_t> repetition = {}) {
  const FabricRound& measured = one.run->rounds[at(round)];
  const std::vector<SecondsPerByte> times =
      repetition ? byte_times(*one.run, measured, *repetition) : byte_times(*one.run, measured);
  LoadRound load{measured.pairs, {}, round};
  for (const SecondsPerByte time : times) load.times.push_back(time.value);
  return load;
}

/// The mean of what both searches show. @param rounds  of the look, one of each search
/// @param others  links that hold messages up, too
SharedTime shared_time(const LookedAt& one, const LoadedLink& link,
                       const std::array<int, 2>& rounds, std::span<const LoadedLink> others = {}) {
  const auto shown = [&](std::size_t search, std::optional<std::size_t> repetition) {
    const LoadRound round = load_round(one, rounds[search], repetition);
    return 1 / rate_shown(link, round, one.look.exchanged, others);
  };
  const std::array<double, 2> of_search{shown(0, {}), shown(1, {})};
  SharedTime time;
  time.value = (of_search[0] + of_search[1]) / 2;
  time.apart = std::abs(of_search[0] - of_search[1]) / 2;
  const std::size_t repetitions = one.run->rounds[at(rounds.front())].times_s.size();
  for (std::size_t r = 0; r < repetitions; ++r) {
    time.replicates.push_back((shown(0, r) + shown(1, r)) / 2);
  }
  time.link = link;
  time.rounds = rounds;
  return time;
}

/// Of the look, where each search's are given among its own.
std::array<int, 2> rounds_of_look(const LookedAt& one, int of_first, int of_second) {
  return {one.look.searches[0].first_round + of_first,
          one.look.searches[1].first_round + of_second};
}

SharedTime way_of(const LookedAt& one, const FoundGroup& here, const FoundGroup& there,
                  SharedLinkTime FoundGroup::*field, Passing way) {
  const SharedLinkTime& a = here.*field;
  const SharedLinkTime& b = there.*field;
  const int hosts = one.look.exchanged.size();
  SharedTime time =
      shared_time(one, link_of(here.hosts, way, hosts), rounds_of_look(one, a.round, b.round));
  time.limits = a.value && b.value;
  time.unsure = a.value.has_value() != b.value.has_value();
  return time;
}

void warn_of_one_search(LookedAt& one, const std::string& what) {
  const std::string searches = one.look.differing ? "three" : "two";
  one.links.warnings.push_back({.kind = "fabric_unsure",
                                .problem = "only one of " + searches + " searches saw " + what,
                                .reason = "messages at once may have been disturbed",
                                .advice = "it is left out; calibrate again"});
}

void take_groups(LookedAt& one) {
  const FoundFabric& here = one.look.searches[0].fabric;
  const FoundFabric& there = one.look.searches[1].fabric;
  const auto unsure = [&](const FoundGroup& group) {
    warn_of_one_search(one, "an uplink that hosts " + names_of(*one.run, group.hosts) + " share");
  };
  for (const FoundGroup& group : here.groups) {
    const FoundGroup* const same = group_of(there, group.hosts);
    if (same == nullptr) {
      unsure(group);
      continue;
    }
    SharedGroup both{group.hosts, way_of(one, group, *same, &FoundGroup::out, Passing::out),
                     way_of(one, group, *same, &FoundGroup::in, Passing::in)};
    if (!both.out.limits && !both.in.limits) {
      unsure(group);
      continue;
    }
    for (const bool out : {true, false}) {
      if (!(out ? both.out : both.in).unsure) continue;
      warn_of_one_search(one, std::string{"that the uplink of hosts "} +
                                  names_of(*one.run, group.hosts) + " limits what " +
                                  (out ? "goes out" : "comes in"));
    }
    one.links.groups.push_back(std::move(both));
  }
  for (const FoundGroup& group : there.groups) {
    if (group_of(here, group.hosts) == nullptr) unsure(group);
  }
  if (!one.look.differing) return;
  for (const FoundGroup& group : one.look.differing->groups) {
    if (group_of(here, group.hosts) == nullptr && group_of(there, group.hosts) == nullptr)
      unsure(group);
  }
}

void take_backbone(LookedAt& one) {
  const FoundFabric& here = one.look.searches[0].fabric;
  const FoundFabric& there = one.look.searches[1].fabric;
  if (!here.backbone && !there.backbone) return;
  if (!have_same_backbone(here, there)) {
    warn_of_one_search(one, "a link that all messages share");
    return;
  }
  const std::vector<int> sides = numbered(here.backbone_sides);
  one.links.backbone = shared_time(one, {sides, Passing::between, 0},
                                   rounds_of_look(one, here.backbone_round, there.backbone_round));
  one.links.backbone->limits = true;
  one.links.sides = sides;
}

/// What each link carried while the others held messages up, too.
void find_rates(LookedAt& one) {
  std::vector<SharedTime*> times;
  for (SharedGroup& group : one.links.groups) {
    for (SharedTime* time : {&group.out, &group.in}) {
      if (time->limits) times.push_back(time);
    }
  }
  if (one.links.backbone) times.push_back(&*one.links.backbone);
  std::vector<ShownLink> shown;
  for (const SharedTime* time : times) {
    const auto& [first, second] = time->rounds;
    shown.push_back({time->link, {load_round(one, first), load_round(one, second)}});
  }
  const auto links = with_rates_shown(shown, one.look.exchanged);
  if (!links) {
    one.links.warnings.push_back(
        {.kind = "fabric_unsettled",
         .problem = "what shared links carry is told as if each were the only one",
         .reason = "together they don't explain the measured times",
         .advice = "they may carry more; calibrate again"});
    return;
  }
  for (std::size_t k = 0; k < times.size(); ++k) {
    *times[k] = shared_time(one, times[k]->link, times[k]->rounds, without(*links, k));
    times[k]->limits = true;
  }
}

double sum_of_rates(const std::vector<SecondsPerByte>& times) {
  double sum = 0;
  for (const SecondsPerByte time : times) sum += 1 / time.value;
  return sum;
}

void take_full_load(LookedAt& one) {
  const auto rounds = static_cast<double>(one.look.alone.size());
  SharedTime& load = one.links.full_load;
  for (std::size_t k = 0; k < one.look.alone.size(); ++k) {
    const FabricRound& round = one.run->rounds[at(one.look.first_matching) + k];
    load.replicates.resize(round.times_s.size());
    load.value += sum_of_rates(byte_times(*one.run, round)) / rounds;
    for (std::size_t r = 0; r < load.replicates.size(); ++r) {
      load.replicates[r] += sum_of_rates(byte_times(*one.run, round, r)) / rounds;
    }
    one.links.alone += sum_of_rates(one.look.alone[k]) / rounds;
  }
}

void note_bounds(const FabricRun& run, SharedLinks& links) {
  for (const SharedGroup& group : links.groups) {
    for (const bool out : {true, false}) {
      const SharedTime& time = out ? group.out : group.in;
      if (time.limits || time.unsure) continue;
      links.notes.push_back("the uplink of " + names_of(run, group.hosts) + " did not limit what " +
                            (out ? "goes out" : "comes in") + ": it carried " +
                            to_text(BytesPerSecond{1 / time.value}));
    }
  }
}

SharedLinks links_of(LookedAt& one) {
  one.links.rounds = one.look.rounds;
  take_groups(one);
  take_backbone(one);
  find_rates(one);
  take_full_load(one);
  const FoundFabric& first = one.look.searches[0].fabric;
  if (first.groups.empty() && !first.backbone) one.links.notes = first.notes;
  return one.links;
}

void warn_of_lost(const FabricRun& run, std::vector<Diagnostic>& warnings) {
  const long lost = run.lost - run.repeated;
  if (static_cast<double>(lost) <= often_lost * static_cast<double>(run.repetitions)) return;
  warnings.push_back({.kind = "fabric_disturbed",
                      .count = lost,
                      .problem = std::to_string(lost) + " of " + std::to_string(run.repetitions) +
                                 " rounds of messages at once count although a rank lost its core",
                      .reason = "the machine was busy",
                      .advice = "what was found of shared links may be wrong; calibrate again"});
}

/// @return nothing: it says why
std::optional<LookedAt> look_at(const FabricRun& run, std::vector<Diagnostic>& warnings) {
  if (run.left_out) {
    warnings.push_back(*run.left_out);
    return std::nullopt;
  }
  try {
    LookedAt one{&run, replay(run), {}};
    one.links = links_of(one);
    warn_of_lost(run, one.links.warnings);
    return one;
  } catch (const RoundMissing&) {
    warnings.push_back(
        not_looked("the file has not all rounds that the search asks for", "calibrate again"));
  } catch (const Error& error) {
    warnings.push_back(not_looked(error.what(), "calibrate again"));
  }
  return std::nullopt;
}

/// A link as several launches saw it: each is a replicate.
SharedTime joined(const std::vector<const SharedTime*>& launches) {
  if (launches.size() == 1) return *launches.front();
  SharedTime all{true, 0, {}};
  for (const SharedTime* launch : launches) {
    all.limits = all.limits && launch->limits;
    all.unsure = all.unsure || launch->unsure || launch->limits != launches.front()->limits;
    all.value += launch->value / static_cast<double>(launches.size());
    all.replicates.push_back(launch->value);
  }
  return all;
}

/// Groups that all launches saw.
std::vector<SharedGroup> joined_groups(const std::vector<LookedAt>& launches) {
  std::vector<SharedGroup> groups;
  for (const SharedGroup& group : launches.front().links.groups) {
    std::vector<const SharedTime*> out;
    std::vector<const SharedTime*> in;
    for (const LookedAt& one : launches) {
      const auto same = std::ranges::find(one.links.groups, group.hosts, &SharedGroup::hosts);
      if (same == one.links.groups.end()) break;
      out.push_back(&same->out);
      in.push_back(&same->in);
    }
    if (out.size() < launches.size()) continue;
    SharedGroup all{group.hosts, joined(out), joined(in)};
    if (all.out.limits || all.in.limits) groups.push_back(std::move(all));
  }
  return groups;
}

/// Whether all messages that one of these sends out of it go into the other, and the reverse.
bool are_all_hosts(const SharedGroup& a, const SharedGroup& b, std::size_t hosts) {
  return a.hosts.size() + b.hosts.size() == hosts && std::ranges::none_of(a.hosts, [&](int host) {
           return std::ranges::binary_search(b.hosts, host);
         });
}

/// Nobody can tell an uplink of some hosts from one of all others: it is taken for the fewer ones'.
void drop_other_sides(std::vector<SharedGroup>& groups, std::size_t hosts) {
  const std::vector<SharedGroup> all = groups;
  std::erase_if(groups, [&](const SharedGroup& group) {
    return std::ranges::any_of(all, [&](const SharedGroup& other) {
      return other.hosts.size() < group.hosts.size() && are_all_hosts(group, other, hosts) &&
             (!group.out.limits || other.in.limits) && (!group.in.limits || other.out.limits);
    });
  });
}

void join_backbone(const std::vector<LookedAt>& launches, SharedLinks& all) {
  std::vector<const SharedTime*> times;
  const std::vector<int>& sides = launches.front().links.sides;
  for (const LookedAt& one : launches) {
    if (one.links.backbone && one.links.sides == sides) times.push_back(&*one.links.backbone);
  }
  if (times.size() < launches.size()) return;
  all.backbone = joined(times);
  all.sides = sides;
}

void warn_of_launches(const std::vector<LookedAt>& launches, SharedLinks& all) {
  const auto differs = [&](const LookedAt& one) {
    return one.links.groups.size() != all.groups.size() ||
           one.links.backbone.has_value() != all.backbone.has_value();
  };
  const auto count = std::ranges::count_if(launches, differs);
  if (count == 0) return;
  all.warnings.push_back({.kind = "fabric_differs",
                          .count = count,
                          .problem = "launches saw different links that hosts share",
                          .advice = "only what all of them saw is kept"});
}

SharedLinks joined(const std::vector<LookedAt>& launches) {
  SharedLinks all;
  all.groups = joined_groups(launches);
  join_backbone(launches, all);
  warn_of_launches(launches, all);
  drop_other_sides(all.groups, launches.front().run->hosts.size());
  std::vector<const SharedTime*> loads;
  for (const LookedAt& one : launches) {
    loads.push_back(&one.links.full_load);
    all.alone += one.links.alone / static_cast<double>(launches.size());
    all.rounds += one.links.rounds;
    std::ranges::copy(one.links.warnings, std::back_inserter(all.warnings));
  }
  all.notes = launches.front().links.notes;
  note_bounds(*launches.front().run, all);
  all.full_load = joined(loads);
  return all;
}

/// Numbers of one link, for each part of a fabric that has one.
struct LinkNumbers {
  double value;
  double low;
  double high;
};

class Intervals {
 public:
  Intervals(ReplicateKind kind, std::size_t count, double confidence)
      : spread_of_{kind, count, confidence}, has_means_{kind == ReplicateKind::launches} {}

  [[nodiscard]] LinkNumbers of(const SharedTime& time) const {
    const Spread spread = spread_of_(time.replicates);
    // Medians know outliers already.
    const double value = time.value + (has_means_ ? spread.shift : 0);
    const double half = std::max(spread.mean_half_width, time.apart);
    if (time.limits) return {value, value - half, value + half};
    return {unknown_value, unknown_value, std::isnan(half) ? value : value + half};
  }

 private:
  SpreadRule spread_of_;
  bool has_means_;  ///< over launches
};

void add(const SharedTime& time, const Intervals& intervals, Fabric& fabric,
         std::vector<double> FabricLinks::*field) {
  const LinkNumbers numbers = intervals.of(time);
  (fabric.value.*field).push_back(numbers.value);
  (fabric.low.*field).push_back(numbers.low);
  (fabric.high.*field).push_back(numbers.high);
  for (std::size_t r = 0; r < fabric.replicates.size(); ++r) {
    (fabric.replicates[r].*field).push_back(time.limits ? time.replicates[r] : unknown_value);
  }
}

void add_backbone(const std::optional<SharedTime>& time, const Intervals& intervals,
                  Fabric& fabric) {
  const LinkNumbers numbers =
      time ? intervals.of(*time) : LinkNumbers{unknown_value, unknown_value, unknown_value};
  fabric.value.backbone = numbers.value;
  fabric.low.backbone = numbers.low;
  fabric.high.backbone = numbers.high;
  for (std::size_t r = 0; r < fabric.replicates.size(); ++r) {
    fabric.replicates[r].backbone = time ? time->replicates[r] : unknown_value;
  }
}

/// The smallest of the others that holds it.
std::optional<int> parent_of(const SharedGroup& group, const std::vector<SharedGroup>& all) {
  std::optional<int> parent;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const bool holds = all[k].hosts.size() > group.hosts.size() &&
                       std::ranges::includes(all[k].hosts, group.hosts);
    if (holds && (!parent || all[k].hosts.size() < all[at(*parent)].hosts.size())) {
      parent = static_cast<int>(k);
    }
  }
  return parent;
}

std::vector<std::string> all_names(const FabricRun& run, const std::vector<int>& hosts) {
  std::vector<std::string> names;
  for (const int host : hosts) names.push_back(run.hosts[at(host)]);
  return names;
}

std::vector<LoadedLink> limiting_links(const SharedLinks& links, int hosts) {
  std::vector<LoadedLink> limiting;
  for (const SharedGroup& group : links.groups) {
    if (group.out.limits) {
      limiting.push_back(link_of(group.hosts, Passing::out, hosts, 1 / group.out.value));
    }
    if (group.in.limits) {
      limiting.push_back(link_of(group.hosts, Passing::in, hosts, 1 / group.in.value));
    }
  }
  if (links.backbone)
    limiting.push_back({links.sides, Passing::between, 1 / links.backbone->value});
  return limiting;
}

/// Of all pairs at full load, to be put to others.
void add_misfits(const LookedAt& one, const std::vector<LoadedLink>& links,
                 std::vector<double>& misfits) {
  for (std::size_t k = 0; k < one.look.alone.size(); ++k) {
    const FabricRound& round = one.run->rounds[at(one.look.first_matching) + k];
    Matrix own(one.look.exchanged.size());
    for (std::size_t p = 0; p < round.pairs.size(); ++p) {
      own(round.pairs[p].from, round.pairs[p].to) = one.look.alone[k][p].value;
    }
    const std::vector<double> told = times_at_once(round.pairs, own, links);
    const std::vector<SecondsPerByte> times = byte_times(*one.run, round);
    for (std::size_t p = 0; p < told.size(); ++p) {
      misfits.push_back(std::abs(times[p].value / told[p] - 1));
    }
  }
}

Fabric fabric_of(const SharedLinks& links, const std::vector<LookedAt>& launches,
                 double confidence) {
  const FabricRun& run = *launches.front().run;
  Fabric fabric;
  fabric.replicates.resize(links.full_load.replicates.size());
  const Intervals intervals(launches.size() > 1 ? ReplicateKind::launches : ReplicateKind::passes,
                            fabric.replicates.size(), confidence);
  for (const SharedGroup& group : links.groups) {
    fabric.groups.push_back({all_names(run, group.hosts), parent_of(group, links.groups)});
    add(group.out, intervals, fabric, &FabricLinks::out);
    add(group.in, intervals, fabric, &FabricLinks::in);
  }
  add_backbone(links.backbone, intervals, fabric);
  if (links.backbone) {
    for (const std::vector<int>& side : places_of_numbers(links.sides)) {
      fabric.backbone_sides.push_back(all_names(run, side));
    }
  }
  SharedTime load = links.full_load;
  load.limits = true;
  const LinkNumbers numbers = intervals.of(load);
  fabric.full_load = {numbers.value, numbers.low, numbers.high};
  fabric.alone = links.alone;
  std::vector<double> misfits;
  const auto limiting = limiting_links(links, static_cast<int>(run.hosts.size()));
  for (const LookedAt& one : launches) add_misfits(one, limiting, misfits);
  fabric.misfit = quantile(misfits, 0.9);
  fabric.rounds = links.rounds;
  fabric.message_bytes = as_double(run.size);
  fabric.notes = links.notes;
  return fabric;
}

/// What of it could have been seen.
Diagnostic nothing_seen(const SharedLinks& links) {
  return {.kind = "no_fabric",
          .problem = links.notes.empty() ? "no link that hosts share was seen to limit messages"
                                         : links.notes.front()};
}

void warn_of_misfit(const Fabric& fabric, std::vector<Diagnostic>& warnings) {
  if (fabric.misfit <= poor_fabric) return;
  warnings.push_back({.kind = "fabric_misfit",
                      .problem = "at full load one in ten pairs is off by more than " +
                                 percent(fabric.misfit) + " from what the shared links foretell",
                      .reason = "some hosts may be in another group, or were disturbed",
                      .advice = "calibrate again with another seed"});
}

bool have_the_same_hosts(const std::vector<LookedAt>& launches) {
  return std::ranges::all_of(
      launches, [&](const LookedAt& one) { return one.run->hosts == launches.front().run->hosts; });
}

}  // namespace

FabricEstimate estimate_fabric(std::span<const FabricRun> runs, double confidence) {
  FabricEstimate found;
  std::vector<LookedAt> launches;
  for (const FabricRun& run : runs) {
    if (auto one = look_at(run, found.warnings)) launches.push_back(*std::move(one));
  }
  if (launches.empty()) return found;
  if (!have_the_same_hosts(launches)) {
    found.warnings.push_back(
        not_looked("launches name hosts differently", "fit launches with the same --classes"));
    return found;
  }
  SharedLinks links = joined(launches);
  std::ranges::move(links.warnings, std::back_inserter(found.warnings));
  if (links.groups.empty() && !links.backbone) {
    if (found.warnings.empty()) found.warnings.push_back(nothing_seen(links));
    return found;
  }
  found.fabric = fabric_of(links, launches, confidence);
  warn_of_misfit(*found.fabric, found.warnings);
  return found;
}

}  // namespace commgauge
