#include "commgauge/simulate/machine/machine.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>

#include "commgauge/base/error.hpp"
#include "commgauge/base/index.hpp"
#include "commgauge/base/units.hpp"
#include "commgauge/base/unknown_value.hpp"
#include "commgauge/model/contention.hpp"
#include "commgauge/model/model.hpp"
#include "commgauge/model/model_list.hpp"
#include "commgauge/simulate/machine/measured_rules.hpp"
#include "machine/bytes.hpp"
#include "machine/monotone_projection.hpp"

namespace commgauge::simulate {

namespace {

/// As where a measurement was cut short; nothing: all have times.
std::optional<Diagnostic> pairs_without_times(const Machine& machine) {
  std::int64_t without = 0;
  std::int64_t all = 0;
  const PairTable::Alike* first = nullptr;
  const std::vector<PairTable::Alike> pairs = machine.pairs.all_alike();
  for (const PairTable::Alike& alike : pairs) {
    all += alike.count;
    if (flaw_of(machine.pair(alike.from, alike.to)) != tells_no_time) continue;
    without += alike.count;
    if (first == nullptr) first = &alike;
  }
  if (first == nullptr) return {};
  return Diagnostic{.kind = "not_emulated",
                    .count = static_cast<long>(without),
                    .problem = "model " + machine.kind + " can't be emulated",
                    .reason = "it has no times of " + std::to_string(without) + " of " +
                              std::to_string(all) + " pairs, such as that from rank " +
                              std::to_string(first->from) + " to " + std::to_string(first->to),
                    .advice =
                        "go on with its calibration (--resume) if it was cut short, or give "
                        "another with --kind"};
}

/// Why the machine can't be emulated, by the first pair that keeps it from that.
std::optional<Diagnostic> why_not_emulated(const Machine& machine) {
  if (auto without = pairs_without_times(machine)) return without;
  for (const PairTable::Alike& alike : machine.pairs.all_alike()) {
    const std::string flaw = flaw_of(machine.pair(alike.from, alike.to));
    if (flaw.empty()) continue;
    return Diagnostic{.kind = "not_emulated",
                      .problem = "model " + machine.kind + " can't be emulated",
                      .reason = flaw + " from rank " + std::to_string(alike.from) + " to " +
                                std::to_string(alike.to),
                      .advice = "give another with --kind, or calibrate again"};
  }
  return {};
}

void check_pairs(const Machine& machine) {
  if (const auto why = why_not_emulated(machine)) throw InputError(why->text());
}

bool is_emulated(const std::string& name) {
  return std::ranges::find(emulated_models(), name) != emulated_models().end();
}

std::string list_of_models() {
  std::string list;
  for (const std::string& name : emulated_models()) list += (list.empty() ? "" : ", ") + name;
  return list;
}

void require_kind(const std::string& asked) {
  if (!is_emulated(asked)) {
    throw InputError("model '" + asked + "' can't be emulated (known: " + list_of_models() +
                     "): give one of them");
  }
}

/// Those that may be emulated without being asked for, the best first.
std::vector<std::string> candidates(const Model& model) {
  std::vector<std::string> names;
  const auto may_be_taken = [&](const std::string& name) {
    return is_emulated(name) && model.has(name) && facts_of(name).tells.any_size;
  };
  for (const Ranking& place : model.ranking) {
    if (may_be_taken(place.model)) names.push_back(place.model);
  }
  for (const std::string& name : emulated_models()) {
    if (may_be_taken(name) && std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  if (!names.empty()) return names;
  throw InputError("the file has none of the models that can be emulated (" + list_of_models() +
                   "): calibrate with one of them in --models");
}

/// The one order of the fields, for writing and reading.
template <class Stream, class M>
void visit(Stream& stream, M& machine) {
  stream(machine.kind);
  stream(machine.ranks);
  stream(machine.eager_limit);
  PairTable::visit_parts(machine.pairs, stream);
  Network::visit_parts(machine.network, stream);
  SharedHostLinks::visit_parts(machine.host_links, stream);
  stream(machine.at_once);
  stream(machine.requests_queue);
  stream(machine.sharing);
  Jitter::visit_parts(machine.jitter, stream);
  stream(machine.hosts);
  stream(machine.has_growth);
  stream(machine.growth);
  stream(machine.time_ratios);
  stream(machine.disturbances);
}

/// By classes, of models that have some: O(kinds²) calls of `costs`.
PairTable pairs_of(const Model& model, const CostsOfPairs& costs) {
  if (!model.classes) return PairTable(model.ranks, costs);
  const PairClasses& classes = *model.classes->pairs;
  const std::vector<PairClasses::Pair> examples = classes.examples();
  const auto costs_of = [&](bool is_within) {
    return [&, is_within](int from, int to) {
      const PairClasses::Pair& pair = examples[at(classes.class_of_kinds(from, to, is_within))];
      return pair.from < 0 ? PairCosts{} : costs(pair.from, pair.to);
    };
  };
  std::vector<PairTable::Rank> ranks;
  for (int rank = 0; rank < classes.ranks(); ++rank) {
    ranks.push_back({classes.of(rank).kind, classes.of(rank).group});
  }
  return {std::move(ranks), classes.kinds(), costs_of(true), costs_of(false)};
}

Machine machine_of_kind(const Model& model, const std::string& kind) {
  Machine machine;
  machine.kind = kind;
  machine.ranks = model.ranks;
  machine.eager_limit = model.eager_limit ? static_cast<double>(model.eager_limit->value)
                                          : std::numeric_limits<double>::infinity();
  for (int rank = 0; rank < model.ranks; ++rank) machine.hosts.push_back(model.host(rank));
  machine.time_ratios.assign(at(model.ranks), same_speed);
  if (model.host_links) {
    machine.host_links = shared_host_links(model.host_links->value, machine.hosts);
  }
  if (model.fabric) {
    machine.host_links = with_uplinks(std::move(machine.host_links), *model.fabric, machine.hosts);
  }
  machine.has_growth = model.overhead_growth.has_value() && facts_of(kind).has_overheads();
  if (machine.has_growth) machine.growth = model.overhead_growth->value;
  MonotoneProjection costs(model, kind, machine.has_growth ? &machine.growth : nullptr);
  machine.pairs = pairs_of(model, std::ref(costs));
  machine.requests_queue = measured_jitter(model) && has_several_hosts(machine);
  machine.sharing = measured_sharing(model).value_or(Sharing::none);
  machine.at_once = at_once(model);
  if (auto note = contention_note(model)) machine.notes.push_back(*std::move(note));
  if (auto moved = costs.moved()) machine.notes.push_back(*std::move(moved));
  return machine;
}

}  // namespace

double at_once(const Model& model) {
  const auto contention = contention_of(model);
  return contention ? contention->ratio : 1;
}

const std::vector<std::string>& emulated_models() {
  static const std::vector<std::string> names = models_that(&FitFacts::is_machine);
  return names;
}

Machine machine_of(const Model& model, const std::string& kind) {
  if (!kind.empty()) {
    require_kind(kind);
    Machine machine = machine_of_kind(model, kind);
    check_pairs(machine);
    return machine;
  }
  std::optional<Diagnostic> passed_over;
  for (const std::string& name : candidates(model)) {
    Machine machine = machine_of_kind(model, name);
    const std::optional<Diagnostic> why = why_not_emulated(machine);
    if (!why) {
      if (passed_over) {
        passed_over->advice = name + " is used instead";
        machine.notes.insert(machine.notes.begin(), *passed_over);
      }
      return machine;
    }
    if (!passed_over) passed_over = why;
  }
  throw InputError(passed_over->text());
}

Machine for_job(const Machine& machine, int ranks) {
  if (ranks > machine.ranks) {
    throw InputError("the job has " + std::to_string(ranks) + " ranks, the machine has " +
                     std::to_string(machine.ranks) +
                     " (each rank needs its own place there): start fewer ranks, or give a larger "
                     "machine");
  }
  for (const Disturbance& disturbance : machine.disturbances) {
    if (disturbance.rank < ranks) continue;
    throw InputError("rank " + std::to_string(disturbance.rank) +
                     " is to be disturbed, the job has " + std::to_string(ranks) +
                     " ranks (they count from 0): name one of them");
  }
  Machine job = machine;
  job.ranks = ranks;
  job.hosts.resize(at(ranks));
  job.time_ratios.resize(at(ranks));
  if (job.network.is_shared()) job.network.places.resize(at(ranks));
  if (job.host_links.is_shared()) job.host_links.places.resize(at(ranks));
  job.pairs.keep_first(ranks);
  return with_processes(std::move(job), ranks);
}

Machine with_processes(Machine machine, int processes) {
  if (machine.has_growth) {
    machine.pairs.change([&](PairCosts& costs) { grow(costs, machine.growth, processes); });
  }
  check_pairs(machine);
  return machine;
}

namespace {

void check_places(const Machine& machine, const std::vector<int>& places) {
  std::vector<bool> is_taken(at(machine.ranks));
  for (std::size_t rank = 0; rank < places.size(); ++rank) {
    const int place = places[rank];
    const auto refuse = [&](const std::string& problem) {
      throw InputError("rank " + std::to_string(rank) + " is to be at place " +
                       std::to_string(place) + problem);
    };
    if (place < 0 || place >= machine.ranks) {
      refuse(" (the machine has " + std::to_string(machine.ranks) +
             ", from 0 on): give one of them");
    }
    if (is_taken[at(place)]) refuse(", another rank, too (it has room for one): give each its own");
    is_taken[at(place)] = true;
  }
}

template <class T>
void rearrange(std::vector<T>& of_ranks, const std::vector<int>& places) {
  if (of_ranks.empty()) return;
  std::vector<T> rearranged;
  for (const int place : places) rearranged.push_back(of_ranks[at(place)]);
  of_ranks = std::move(rearranged);
}

}  // namespace

Machine placed(const Machine& machine, const std::vector<int>& places) {
  check_places(machine, places);
  Machine result = machine;
  result.ranks = static_cast<int>(places.size());
  result.pairs.rearrange(places);
  rearrange(result.network.places, places);
  rearrange(result.host_links.places, places);
  rearrange(result.hosts, places);
  rearrange(result.time_ratios, places);
  return result;
}

bool speeds_are_uncertain(const Machine& machine) {
  return std::ranges::any_of(machine.time_ratios,
                             [](const Estimate& ratio) { return ratio.low < ratio.high; });
}

Machine at_speed_end(Machine machine, double Estimate::*end) {
  for (Estimate& ratio : machine.time_ratios) ratio.value = ratio.*end;
  return machine;
}

namespace {

/// What a byte of a large message adds [s/byte].
double last_per_byte(const Curve& curve) {
  return curve.later.empty() ? curve.first.per_byte : curve.later.back().line.per_byte;
}

/// Takes the mean lateness of its bytes off what bytes take: ports are busy that much less after
/// they were late.
void set_jitter_per_byte(PairCosts& costs, double per_byte) {
  constexpr double most = 0.1;
  const double eager = last_per_byte(costs.one_way);
  const double rendezvous = last_per_byte(costs.rendezvous_receiver);
  per_byte = std::min(per_byte, most * std::min(eager, rendezvous));
  if (!(per_byte > 0)) return;
  costs.jitter_per_byte = per_byte;
  for (Curve* const curve : {&costs.send_overhead, &costs.arrival, &costs.one_way,
                             &costs.receive_overhead, &costs.port}) {
    curve->scale_bytes(1 - per_byte / eager);
  }
  for (Curve* const curve : {&costs.rendezvous_sender, &costs.rendezvous_receiver,
                             &costs.rendezvous_send_port, &costs.rendezvous_receive_port}) {
    curve->scale_bytes(1 - per_byte / rendezvous);
  }
  for (Curve* const curve : {&costs.gap, &costs.link}) {
    curve->scale_bytes(1 - per_byte / std::max(eager, rendezvous));
  }
}

}  // namespace

Machine with_jitter(Machine machine, const Jitter& jitter) {
  constexpr double most = 0.75;
  machine.jitter = jitter;
  if (!jitter.is_there()) return machine;
  // Where there are several hosts chance wasn't measured within one.
  const bool only_between = has_several_hosts(machine);
  const auto is_late = [&](int from, int to) {
    return !only_between || machine.hosts[at(from)] != machine.hosts[at(to)];
  };
  machine.pairs.change_of(is_late, [&](PairCosts& costs) {
    set_jitter_per_byte(costs, jitter.per_byte);
    const double taken_off = std::min(jitter.mean, most * costs.arrival.at(0));
    costs.jitter = jitter.is_whole ? jitter.mean : taken_off;
    costs.arrival.shift(-taken_off);
    costs.one_way.shift(-taken_off);
    if (costs.has_handshake) {
      costs.request -= taken_off;
      costs.reply -= std::min(taken_off, most * costs.reply);
    } else {
      const double in_data = std::min(2 * costs.jitter, most * costs.rendezvous_receiver.least());
      costs.rendezvous_receiver.shift(-in_data);
    }
  });
  return machine;
}

bool has_several_hosts(const Machine& machine) {
  return std::ranges::any_of(machine.hosts,
                             [&](const auto& host) { return host != machine.hosts.front(); });
}

Machine with_slower_messages(Machine machine, double factor) {
  machine.pairs.change([factor](PairCosts& costs) { scale(costs, factor); });
  SharedHostLinks& links = machine.host_links;
  for (auto* const of_hosts : {&links.out, &links.in, &links.inside, &links.both}) {
    for (double& per_byte : *of_hosts) per_byte *= factor;
  }
  links.backbone *= factor;
  return machine;
}

AssumedPairs assumed_pairs(const Machine& machine) {
  const std::int64_t ranks = machine.ranks;
  AssumedPairs pairs{0, ranks * (ranks - 1), unknown_value, unknown_value};
  for (const PairTable::Alike& alike : machine.pairs.all_alike()) {
    const PairCosts& costs = machine.pair(alike.from, alike.to);
    if (costs.assumed) {
      pairs.count += alike.count;
    } else {
      pairs.least = std::fmin(pairs.least, costs.one_way.at(0));
      pairs.most = std::fmax(pairs.most, costs.one_way.at(0));
    }
  }
  return pairs;
}

std::string to_text(const AssumedPairs& pairs) {
  const std::string range = std::isnan(pairs.least) ? "none of this job was measured"
                                                    : "empty messages of the measured ones take " +
                                                          to_text(Seconds{pairs.least}) + " to " +
                                                          to_text(Seconds{pairs.most});
  return std::to_string(pairs.count) + " of " + std::to_string(pairs.all) +
         " pairs of ranks were not measured (their messages cost the mean of those that were; " +
         range + "): calibrate with --pairs all to have them";
}

double look_ahead(const Machine& machine, int from, int to) {
  const PairCosts& there = machine.pair(from, to);
  const PairCosts& back = machine.pair(to, from);
  const double answer =
      back.reply + std::min(back.rendezvous_sender.least(), back.rendezvous_receiver.least());
  const double data = there.request + there.reply + there.rendezvous_receiver.least();
  const double request = there.has_handshake ? data : there.rendezvous_receiver.least();
  return std::min({there.arrival.least(), answer, data, request});
}

double least_look_ahead(const Machine& machine) {
  double least = std::numeric_limits<double>::infinity();
  for (const PairTable::Alike& alike : machine.pairs.all_alike()) {
    least = std::min(least, look_ahead(machine, alike.from, alike.to));
  }
  return least;
}

double look_back(const Machine& machine) {
  double longest = 0;
  for (const PairTable::Alike& alike : machine.pairs.all_alike()) {
    const PairCosts& costs = machine.pair(alike.from, alike.to);
    const double port = costs.rendezvous_receive_port.at(0) - costs.rendezvous_receiver.at(0);
    longest = std::max(longest, costs.arrival.at(0) + std::max(0.0, port));
  }
  return longest;
}

std::string to_bytes(const Machine& machine) {
  Writer writer;
  visit(writer, machine);
  return writer.bytes();
}

Machine machine_from_bytes(std::string_view bytes) {
  Reader reader(bytes);
  Machine machine;
  visit(reader, machine);
  return machine;
}

}  // namespace commgauge::simulate
