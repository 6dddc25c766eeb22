#include "commgauge/judge/freshness.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <utility>

#include "commgauge/base/error.hpp"
#include "commgauge/base/places.hpp"
#include "commgauge/base/shuffle.hpp"
#include "commgauge/base/statistics.hpp"
#include "commgauge/base/text.hpp"
#include "commgauge/base/unknown_value.hpp"
#include "commgauge/costs/message.hpp"
#include "commgauge/costs/shifted.hpp"
#include "commgauge/plan/host_plan.hpp"
#include "commgauge/predict/predict.hpp"

namespace commgauge {

namespace {

constexpr double least_drift = 0.05;
constexpr double sure_drift = 1.5;    ///< half widths of a class's interval
constexpr double sure_deviation = 3;  ///< standard deviations of a host's or a link's time
constexpr std::size_t most_pairs_of_host = 4;
constexpr std::size_t least_looks = 3;      ///< of a class, so that one can differ from the others
constexpr double enough_bytes = 0.25;       ///< of an empty message's time, or bytes aren't told
constexpr std::size_t most_exceptions = 3;  ///< at most a third of the hosts are exceptions

std::vector<std::string> host_names(const Model& job) {
  std::vector<std::string> names;
  for (int rank = 0; rank < job.ranks; ++rank) names.push_back(job.host(rank));
  return names;
}

bool has_kinds(const Model& job) { return job.classes && !job.classes->each_rank_its_own(); }

/// Of which class a pair is, in any direction.
struct Class {
  bool is_within;
  std::array<int, 2> kinds;  ///< ascending; −1: any
  auto operator<=>(const Class&) const = default;
};

class Job {
 public:
  explicit Job(const Model& of) : model{of}, names_{host_names(of)}, hosts_{numbered(names_)} {}

  [[nodiscard]] int host(int rank) const { return hosts_[at(rank)]; }
  [[nodiscard]] int hosts() const { return 1 + std::ranges::max(hosts_); }
  [[nodiscard]] const std::string& name(int host) const {
    return names_[at(static_cast<int>(std::ranges::find(hosts_, host) - hosts_.begin()))];
  }
  [[nodiscard]] Class class_of(int a, int b) const {
    const bool is_within = host(a) == host(b);
    if (!has_kinds(model)) return {is_within, {-1, -1}};
    const PairClasses& pairs = *model.classes->pairs;
    const auto [low, high] = std::minmax({pairs.of(a).kind, pairs.of(b).kind});
    return {is_within, {low, high}};
  }
  [[nodiscard]] std::string name_of(const Class& one) const {
    const std::string where = one.is_within ? "within a host" : "between hosts";
    if (one.kinds[0] < 0) return where;
    return model.classes->name_of_class(
        model.classes->pairs->class_of_kinds(one.kinds[0], one.kinds[1], one.is_within));
  }

  const Model& model;

 private:
  std::vector<std::string> names_;
  std::vector<int> hosts_;
};

/// Logarithm of times now / the model's, of one part of them.
struct Part {
  double log_ratio{unknown_value};
  double sd{unknown_value};  ///< of it, by the model's interval and the trips' scatter
};
enum PartOf : std::size_t { fixed, per_byte };
constexpr std::array parts{fixed, per_byte};

/// What the trips of a pair say.
struct Look {
  int a;
  int b;
  Class of;
  std::array<Part, 2> parts;
};

/// Measured and predicted times of one size.
class Trips {
 public:
  void add(double time, Prediction prediction, double z) {
    const double half = (prediction.high.value - prediction.low.value) / 2;
    logs_.push_back(std::log(time / prediction.time.value));
    predicted_.push_back(prediction.time.value);
    sds_.push_back(std::isnan(half) ? std::log1p(alike_within) : half / z / prediction.time.value);
  }
  [[nodiscard]] bool any() const { return !logs_.empty(); }
  [[nodiscard]] Part part() const { return {median(logs_), std::hypot(mean(sds_), scatter())}; }
  [[nodiscard]] double predicted() const { return mean(predicted_); }
  [[nodiscard]] double measured() const { return predicted() * std::exp(median(logs_)); }
  [[nodiscard]] double error() const { return predicted() * part().sd; }

 private:
  [[nodiscard]] double scatter() const {
    if (logs_.size() < 3) return 0;
    return robust_deviation(logs_) / std::sqrt(static_cast<double>(logs_.size()));
  }
  std::vector<double> logs_;
  std::vector<double> predicted_;
  std::vector<double> sds_;
};

Part part_of_bytes(const Trips& empty, const Trips& large) {
  if (!empty.any() || !large.any()) return {};
  const double predicted = large.predicted() - empty.predicted();
  const double measured = large.measured() - empty.measured();
  if (predicted < enough_bytes * empty.predicted() || measured <= 0) return {};
  return {std::log(measured / predicted), std::hypot(empty.error(), large.error()) / predicted};
}

void check(const SurveyedTrip& trip, int ranks) {
  const auto is_rank = [&](int rank) { return rank >= 0 && rank < ranks; };
  if (!is_rank(trip.from) || !is_rank(trip.to) || trip.from == trip.to || !(trip.time_s > 0)) {
    throw InputError("no round trip of ranks " + std::to_string(trip.from) + " and " +
                     std::to_string(trip.to) + " in " + std::to_string(trip.time_s) +
                     " s (the job has " + std::to_string(ranks) +
                     " ranks, from 0 on, and messages take time): measure again");
  }
}

/// What the model says of each trip: both of its messages.
std::vector<Prediction> predictions_of(const Model& job, const std::vector<SurveyedTrip>& trips) {
  std::vector<PairMessage> messages;
  for (const SurveyedTrip& trip : trips) {
    messages.push_back({trip.from, trip.to, trip.size});
    messages.push_back({trip.to, trip.from, Bytes{0}});
  }
  const std::vector<Prediction> one_way =
      predict_messages(job, job.preferred(), Side::receiver, messages);
  std::vector<Prediction> both;
  for (std::size_t k = 0; k < one_way.size(); k += 2) {
    Prediction sum = one_way[k];
    sum.time = sum.time + one_way[k + 1].time;
    sum.low = sum.low + one_way[k + 1].low;
    sum.high = sum.high + one_way[k + 1].high;
    both.push_back(sum);
  }
  return both;
}

std::vector<Look> looks_of(const Job& job, const std::vector<SurveyedTrip>& trips) {
  const double z = normal_quantile(job.model.confidence);
  for (const SurveyedTrip& trip : trips) check(trip, job.model.ranks);
  const std::vector<Prediction> predictions = predictions_of(job.model, trips);
  std::map<std::pair<int, int>, std::array<Trips, 2>> of_pairs;
  for (std::size_t k = 0; k < trips.size(); ++k) {
    const SurveyedTrip& trip = trips[k];
    of_pairs[std::minmax(trip.from, trip.to)][trip.size.value > 0 ? 1 : 0].add(trip.time_s,
                                                                               predictions[k], z);
  }
  std::vector<Look> looks;
  for (const auto& [pair, both] : of_pairs) {
    const auto& [empty, large] = both;
    looks.push_back({pair.first,
                     pair.second,
                     job.class_of(pair.first, pair.second),
                     {empty.any() ? empty.part() : Part{}, part_of_bytes(empty, large)}});
  }
  return looks;
}

/// Tells which hosts and links are the exception among the others.
class Judging {
 public:
  Judging(const Job& job, std::vector<Look> looks) : job_{job}, looks_{std::move(looks)} {
    for (std::size_t k = 0; k < looks_.size(); ++k) {
      of_class_[looks_[k].of].push_back(k);
      if (looks_[k].of.is_within) {
        of_inside_[job_.host(looks_[k].a)].push_back(k);
        continue;
      }
      of_host_[job_.host(looks_[k].a)].push_back(k);
      of_host_[job_.host(looks_[k].b)].push_back(k);
    }
    for (const auto& [one, own] : of_class_) centres_[one] = {0, 0};
    find_exceptions();
    // What the file says is believed as long as it makes few hosts an exception.
    if (hosts_.size() * most_exceptions <= of_host_.size()) return;
    take_medians_for_centres();
    find_exceptions();
  }

  [[nodiscard]] Freshness result() const {
    Freshness found;
    for (const auto& [one, own] : of_class_) found.classes.push_back(freshness_of(one, own));
    for (const int host : hosts_) found.deviations.push_back(deviation_of_host(host));
    for (const int host : insides_) found.deviations.push_back(deviation_of_inside(host));
    for (const std::size_t k : links_) found.deviations.push_back(deviation_of_link(looks_[k]));
    for (int host = 0; job_.hosts() > 2 && host < job_.hosts(); ++host) {
      const auto own = of_host_.find(host);
      if (own == of_host_.end() || own->second.size() < 2) {
        found.not_judged.push_back(job_.name(host));
      }
    }
    return found;
  }

 private:
  /// −1 if the look is surely shorter than those of its class, 1 if longer, 0 if neither.
  [[nodiscard]] int side(const Look& look, PartOf part) const {
    const Part& one = look.parts[part];
    const double away = one.log_ratio - centres_.at(look.of)[part];
    const double limit = std::max(std::log1p(alike_within),
                                  sure_deviation * std::hypot(one.sd, scatter(look, part)));
    if (std::isnan(away) || std::abs(away) <= limit) return 0;
    return away > 0 ? 1 : -1;
  }

  /// How the class's looks differ, most of them at least.
  [[nodiscard]] double scatter(const Look& look, PartOf part) const {
    constexpr std::size_t enough = 5;
    const std::vector<double> values = logs(of_class_.at(look.of), part);
    return values.size() < enough ? 0 : robust_deviation(values);
  }

  [[nodiscard]] std::vector<double> logs(const std::vector<std::size_t>& looks, PartOf part) const {
    std::vector<double> values;
    for (const std::size_t k : looks) {
      if (!std::isnan(looks_[k].parts[part].log_ratio)) {
        values.push_back(looks_[k].parts[part].log_ratio);
      }
    }
    return values;
  }

  [[nodiscard]] bool is_exceptional(int host) const { return hosts_.contains(host); }
  [[nodiscard]] bool has_exceptional_host(const Look& look) const {
    if (look.of.is_within) return insides_.contains(job_.host(look.a));
    return is_exceptional(job_.host(look.a)) || is_exceptional(job_.host(look.b));
  }

  /// All of its messages stand out, the same way.
  [[nodiscard]] bool stands_out(const std::vector<std::size_t>& looks, PartOf part) const {
    const int first = side(looks_[looks.front()], part);
    return first != 0 && std::ranges::all_of(
                             looks, [&](std::size_t k) { return side(looks_[k], part) == first; });
  }

  void find_exceptions() {
    hosts_.clear();
    insides_.clear();
    links_.clear();
    const auto is_exception = [&](const std::vector<std::size_t>& looks) {
      return std::ranges::any_of(parts, [&](PartOf part) { return stands_out(looks, part); });
    };
    for (const auto& [host, looks] : of_host_) {
      if (looks.size() >= 2 && is_exception(looks)) hosts_.insert(host);
    }
    for (const auto& [host, looks] : of_inside_) {
      if (of_inside_.size() >= least_looks && is_exception(looks)) insides_.insert(host);
    }
    for (std::size_t k = 0; k < looks_.size(); ++k) {
      const Look& look = looks_[k];
      if (look.of.is_within || of_class_.at(look.of).size() < least_looks ||
          has_exceptional_host(look)) {
        continue;
      }
      if (std::ranges::any_of(parts, [&](PartOf part) { return side(look, part) != 0; })) {
        links_.insert(k);
      }
    }
  }

  void take_medians_for_centres() {
    for (const auto& [one, looks] : of_class_) {
      for (const PartOf part : parts) {
        const std::vector<double> values = logs(looks, part);
        if (values.size() >= least_looks) centres_[one][part] = median(values);
      }
    }
  }

  /// Mean of the looks, with an interval of so many of its standard deviations.
  [[nodiscard]] Estimate estimate(const std::vector<std::size_t>& looks, PartOf part,
                                  double centre) const {
    std::vector<double> values;
    std::vector<double> sds;
    for (const std::size_t k : looks) {
      const Part& one = looks_[k].parts[part];
      if (std::isnan(one.log_ratio)) continue;
      values.push_back(one.log_ratio - centre);
      sds.push_back(one.sd);
    }
    if (values.empty()) return {unknown_value, unknown_value, unknown_value};
    const double confidence = job_.model.confidence;
    const auto n = static_cast<double>(values.size());
    const double scatter =
        values.size() < 2 ? 0
                          : student_quantile(confidence, n - 1) * std::sqrt(variance(values) / n);
    const double half = std::hypot(normal_quantile(confidence) * median(sds), scatter);
    const double middle = median(values);
    return {std::exp(middle), std::exp(middle - half), std::exp(middle + half)};
  }

  [[nodiscard]] ClassFreshness freshness_of(const Class& one,
                                            const std::vector<std::size_t>& own) const {
    std::vector<std::size_t> usual;
    for (const std::size_t k : own) {
      if (!links_.contains(k) && !has_exceptional_host(looks_[k])) usual.push_back(k);
    }
    ClassFreshness result;
    result.pairs = job_.name_of(one);
    result.is_within = one.is_within;
    result.kinds[0] = one.kinds[0];
    result.kinds[1] = one.kinds[1];
    result.measured = std::ssize(usual);
    result.fixed = estimate(usual, fixed, 0);
    result.per_byte = estimate(usual, per_byte, 0);
    if (usual.empty()) return result;
    const bool drifted = has_drifted(result.fixed) || has_drifted(result.per_byte);
    result.state = drifted ? ClassFreshness::State::drifted : ClassFreshness::State::holds;
    return result;
  }

  [[nodiscard]] Deviation deviation_of_host(int host) const {
    std::vector<std::size_t> with_usual;
    for (const std::size_t k : of_host_.at(host)) {
      const Look& look = looks_[k];
      const int other = job_.host(look.a) == host ? job_.host(look.b) : job_.host(look.a);
      if (!is_exceptional(other)) with_usual.push_back(k);
    }
    const std::vector<std::size_t>& looks = with_usual.empty() ? of_host_.at(host) : with_usual;
    return {Deviation::Where::host,
            {job_.name(host)},
            estimate(looks, fixed, centre_of(looks, fixed)),
            estimate(looks, per_byte, centre_of(looks, per_byte))};
  }

  [[nodiscard]] double centre_of(const std::vector<std::size_t>& looks, PartOf part) const {
    return centres_.at(looks_[looks.front()].of)[part];
  }

  [[nodiscard]] Deviation deviation_of_inside(int host) const {
    const std::vector<std::size_t>& looks = of_inside_.at(host);
    return {Deviation::Where::within_host,
            {job_.name(host)},
            estimate(looks, fixed, centre_of(looks, fixed)),
            estimate(looks, per_byte, centre_of(looks, per_byte))};
  }

  [[nodiscard]] Deviation deviation_of_link(const Look& look) const {
    const std::vector<std::size_t> one{static_cast<std::size_t>(&look - looks_.data())};
    return {Deviation::Where::between_hosts,
            {job_.name(job_.host(look.a)), job_.name(job_.host(look.b))},
            estimate(one, fixed, centre_of(one, fixed)),
            estimate(one, per_byte, centre_of(one, per_byte))};
  }

 public:
  static bool has_drifted(const Estimate& ratio) {
    if (std::isnan(ratio.value)) return false;
    const double away = std::abs(std::log(ratio.value));
    const double half = std::log(ratio.high / ratio.low) / 2;
    return away > std::log1p(least_drift) && away > sure_drift * half;
  }

 private:
  const Job& job_;
  std::vector<Look> looks_;
  std::map<Class, std::vector<std::size_t>> of_class_;
  std::map<int, std::vector<std::size_t>> of_host_;    ///< with other hosts
  std::map<int, std::vector<std::size_t>> of_inside_;  ///< between its own ranks
  std::map<Class, std::array<double, 2>> centres_;
  std::set<int> hosts_;    ///< exceptions in messages with others
  std::set<int> insides_;  ///< exceptions in messages within
  std::set<std::size_t> links_;
};

/// Disjoint pairs together, as few rounds as come of taking them in their order.
std::vector<std::vector<Pair>> in_rounds(const std::vector<Pair>& pairs) {
  std::vector<std::vector<Pair>> rounds;
  std::vector<std::set<int>> busy;
  std::set<Pair> known;
  for (const Pair& pair : pairs) {
    const auto [low, high] = std::minmax(pair[0], pair[1]);
    if (!known.insert({low, high}).second) continue;
    std::size_t round = 0;
    while (round < rounds.size() && (busy[round].contains(low) || busy[round].contains(high))) {
      ++round;
    }
    if (round == rounds.size()) {
      rounds.emplace_back();
      busy.emplace_back();
    }
    rounds[round].push_back(pair);
    busy[round].insert({low, high});
  }
  return rounds;
}

void append(std::vector<std::vector<Pair>>& rounds, const std::vector<Pair>& pairs) {
  for (std::vector<Pair>& round : in_rounds(pairs)) rounds.push_back(std::move(round));
}

std::vector<Pair> one_of_each_class(const Model& job) {
  std::vector<Pair> pairs;
  if (!has_kinds(job)) return pairs;
  const Job of(job);
  std::set<Class> known;
  for (const auto& [from, to] : job.classes->pairs->examples()) {
    if (from >= 0 && known.insert(of.class_of(from, to)).second) pairs.push_back({from, to});
  }
  return pairs;
}

}  // namespace

bool Freshness::holds() const {
  const auto has_drifted = [](const ClassFreshness& one) {
    return one.state == ClassFreshness::State::drifted;
  };
  return deviations.empty() && std::ranges::none_of(classes, has_drifted);
}

namespace {

/// "1.5 (1.4 to 1.6)"
std::string text_of(const Estimate& ratio) {
  return two_digits(ratio.value) + " (" + two_digits(ratio.low) + " to " + two_digits(ratio.high) +
         ")";
}

Diagnostic drift_of(const ClassFreshness& one) {
  std::string times;
  if (!std::isnan(one.fixed.value)) times = "empty ones " + text_of(one.fixed);
  if (!std::isnan(one.per_byte.value)) {
    times += std::string{times.empty() ? "" : ", "} + "each byte " + text_of(one.per_byte);
  }
  return {.kind = "drifted",
          .count = one.measured,
          .problem = "messages " + one.pairs + " don't take as long as in the model",
          .reason = "times as long now: " + times,
          .advice = "here the model is corrected; calibrate again if it stays so"};
}

}  // namespace

std::vector<Diagnostic> Freshness::diagnostics() const {
  std::vector<Diagnostic> all;
  for (const ClassFreshness& one : classes) {
    if (one.state == ClassFreshness::State::drifted) all.push_back(drift_of(one));
  }
  for (const Deviation& one : deviations) {
    all.push_back({.kind = "deviates_now",
                   .problem = one.sentence(),
                   .reason = "in the model they do not differ so",
                   .advice = "find out what has changed there"});
  }
  return all;
}

std::vector<std::vector<Pair>> pairs_that_tell(const Model& job, std::uint64_t seed) {
  std::vector<std::vector<int>> hosts = ranks_of_hosts(host_names(job));
  std::mt19937_64 random(seed);
  shuffle(std::span{hosts}, random);
  std::vector<Pair> ring;
  for (std::size_t k = 0; hosts.size() > 1 && k < hosts.size(); ++k) {
    ring.push_back({hosts[k].front(), hosts[(k + 1) % hosts.size()].front()});
  }
  std::vector<Pair> within;
  for (std::vector<int> ranks : hosts) {
    shuffle(std::span{ranks}, random);
    const std::size_t most = std::min(ranks.size() / 2, most_pairs_of_host);
    for (std::size_t k = 0; k < most; ++k) within.push_back({ranks[2 * k], ranks[2 * k + 1]});
  }
  std::vector<std::vector<Pair>> rounds;
  append(rounds, one_of_each_class(job));
  append(rounds, ring);
  append(rounds, within);
  return rounds;
}

Bytes size_that_tells(const Model& job, Seconds longest) {
  const std::string name = job.preferred();
  const SizeSpan span = fitted_sizes(job, name);
  const auto limit = static_cast<std::uint64_t>(
      std::min(static_cast<double>(span.last.value), eager_limit_of(job)));
  std::vector<PairMessage> messages;
  for (const std::vector<Pair>& round : pairs_that_tell(job, 0)) {
    for (const auto& [from, to] : round) messages.push_back({from, to, Bytes{0}});
  }
  std::uint64_t size = std::max<std::uint64_t>(1, limit);
  for (; size > 1; size /= 2) {
    for (PairMessage& message : messages) message.size = Bytes{size};
    double most = 0;
    for (const MessageTime& one : predict_message_times(job, name, Side::receiver, messages)) {
      most = std::max(most, one.time.value);
    }
    if (most <= longest.value) break;
  }
  return Bytes{size};
}

Freshness freshness(const Model& job, const std::vector<SurveyedTrip>& trips) {
  const Job of(job);
  return Judging(of, looks_of(of, trips)).result();
}

std::vector<std::vector<Pair>> pairs_that_confirm(const Model& job, const Freshness& found) {
  std::set<std::string> suspected;
  for (const Deviation& one : found.deviations) {
    suspected.insert(one.hosts.begin(), one.hosts.end());
  }
  std::vector<int> trusted;
  std::map<std::string, std::vector<int>> of_suspects;
  for (const std::vector<int>& ranks : ranks_of_hosts(host_names(job))) {
    const std::string name = job.host(ranks.front());
    if (suspected.contains(name)) {
      of_suspects[name] = ranks;
    } else {
      trusted.push_back(ranks.front());
    }
  }
  std::vector<Pair> pairs;
  std::size_t next = 0;
  for (const Deviation& one : found.deviations) {
    const std::vector<int>& ranks = of_suspects[one.hosts.front()];
    if (one.where == Deviation::Where::within_host) {
      pairs.push_back({ranks[0], ranks[1]});
    } else if (one.where == Deviation::Where::between_hosts) {
      pairs.push_back({ranks.front(), of_suspects[one.hosts.back()].front()});
    } else {
      for (std::size_t k = 0; k < std::min<std::size_t>(2, trusted.size()); ++k) {
        pairs.push_back({trusted[next++ % trusted.size()], ranks.front()});
      }
    }
  }
  return in_rounds(pairs);
}

namespace {

/// Multiplies what is surely other than 1.
void multiply(TimeFactors& factors, const Estimate& of_fixed, const Estimate& of_bytes, double z,
              const std::function<bool(const Estimate&)>& is_sure) {
  const auto apply = [&](const Estimate& by, double& factor, double& sd) {
    if (std::isnan(by.value) || !is_sure(by)) return;
    factor *= by.value;
    sd = std::hypot(sd, std::log(by.high / by.low) / (2 * z));
  };
  apply(of_fixed, factors.fixed, factors.fixed_sd);
  apply(of_bytes, factors.per_byte, factors.per_byte_sd);
}

bool concerns(const Deviation& one, const std::string& from, const std::string& to) {
  const auto has = [&](const std::string& host) {
    return std::ranges::find(one.hosts, host) != one.hosts.end();
  };
  switch (one.where) {
    case Deviation::Where::within_host:
      return from == to && has(from);
    case Deviation::Where::host:
      return from != to && (has(from) || has(to));
    case Deviation::Where::between_hosts:
      break;
  }
  return from != to && has(from) && has(to);
}

}  // namespace

Model refreshed(const Model& job, const Freshness& found) {
  if (found.holds()) return job;
  const Job of(job);
  const double z = normal_quantile(job.confidence);
  const auto excludes_1 = [](const Estimate& ratio) { return ratio.low > 1 || ratio.high < 1; };
  std::set<std::string> apart;
  for (const Deviation& one : found.deviations) apart.insert(one.hosts.begin(), one.hosts.end());
  const auto factors_of = [&](int from, int to) {
    TimeFactors factors;
    const Class own = of.class_of(from, to);
    for (const ClassFreshness& one : found.classes) {
      if (Class{one.is_within, {one.kinds[0], one.kinds[1]}} != own) continue;
      multiply(factors, one.fixed, one.per_byte, z, Judging::has_drifted);
    }
    for (const Deviation& one : found.deviations) {
      if (concerns(one, job.host(from), job.host(to))) {
        multiply(factors, one.fixed, one.per_byte, z, excludes_1);
      }
    }
    return factors;
  };
  Model model = shifted(job, apart, factors_of);
  std::ranges::copy(found.deviations, std::back_inserter(model.classes->deviations));
  std::ranges::copy(found.diagnostics(), std::back_inserter(model.warnings));
  return model;
}

}  // namespace commgauge
