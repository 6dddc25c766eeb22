#include "commgauge/judge/freshness.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
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
#include "commgauge/model/spread.hpp"
#include "commgauge/plan/host_plan.hpp"
#include "commgauge/predict/predict.hpp"

namespace commgauge {

namespace {

constexpr double few_trips_scatter = 0.05;  ///< of one or two, which do not tell it
constexpr double least_drift = 0.05;
constexpr double sure_drift = 1.5;            ///< half widths of a class's interval
constexpr std::size_t enough_to_scatter = 5;  ///< looks of a class tell how they differ
constexpr double sure_deviation = 3;          ///< standard deviations of a host's or a link's time
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
  double predicted_byte_s;  ///< what a byte adds by the model [s]
};

/// What a model says of a time [s].
struct ToldTime {
  double time{};
  double misfit{};  ///< standard deviation of what the model leaves out
  std::vector<double> replicates;

  ToldTime& operator+=(const ToldTime& other) {
    time += other.time;
    misfit = std::hypot(misfit, other.misfit);
    if (replicates.empty()) replicates.resize(other.replicates.size());
    for (std::size_t r = 0; r < replicates.size(); ++r) replicates[r] += other.replicates[r];
    return *this;
  }
};

/// How replicates of a model tell the spread of a further launch's or pass's time.
class Spreading {
 public:
  explicit Spreading(const Model& model)
      : confidence_{model.confidence},
        z_{normal_quantile(model.confidence)},
        passes_{model.launches.empty() ? 1 : std::max(1, model.launches.front().passes)} {}

  void set(ReplicateKind kind) { kind_ = kind; }

  /// Of a time's logarithm; where the model doesn't tell it as much as hosts of a kind may differ.
  [[nodiscard]] double sd(const std::vector<double>& replicates, double time) const {
    if (replicates.size() < 2) return std::log1p(alike_within);
    const SpreadRule rule(kind_, replicates.size(), confidence_, passes_);
    return next_log_half_width(rule, replicates, time) / z_;
  }

  /// The misfit is what the whole interval holds beyond that.
  [[nodiscard]] double misfit(const Prediction& prediction,
                              const std::vector<double>& replicates) const {
    if (!prediction.has_interval() || replicates.size() < 2) return 0;
    const double whole = std::log(prediction.high / prediction.low) / 2 / z_;
    const double own = sd(replicates, prediction.time.value);
    if (!(whole > own)) return 0;
    return prediction.time.value * std::sqrt(whole * whole - own * own);
  }

 private:
  double confidence_;
  double z_;
  int passes_;
  ReplicateKind kind_{};
};

/// Measured and told times of one size.
class Trips {
 public:
  void add(double time, const ToldTime& told) {
    logs_.push_back(std::log(time / told.time));
    sum_ += told;
  }
  [[nodiscard]] bool any() const { return !logs_.empty(); }
  /// Mean over the trips.
  [[nodiscard]] ToldTime told() const {
    const auto count = static_cast<double>(logs_.size());
    ToldTime mean = sum_;
    mean.time /= count;
    mean.misfit /= std::sqrt(count);
    for (double& one : mean.replicates) one /= count;
    return mean;
  }
  [[nodiscard]] double log_ratio() const { return median(logs_); }
  [[nodiscard]] double measured() const { return told().time * std::exp(log_ratio()); }
  /// Trips of one job may be off together, by where its ranks run: the more don't tell the better.
  [[nodiscard]] double scatter() const {
    return logs_.size() < 3 ? few_trips_scatter : robust_deviation(logs_);
  }

 private:
  std::vector<double> logs_;
  ToldTime sum_;
};

Part part_of_empty(const Trips& empty, const Spreading& spreading) {
  if (!empty.any()) return {};
  const ToldTime told = empty.told();
  const double sd = std::hypot(spreading.sd(told.replicates, told.time), told.misfit / told.time);
  return {empty.log_ratio(), std::hypot(sd, empty.scatter())};
}

/// What bytes add: by the model's replicates of that, for errors of both sizes go together.
Part part_of_bytes(const Trips& empty, const Trips& large, const Spreading& spreading) {
  if (!empty.any() || !large.any()) return {};
  const ToldTime of_empty = empty.told();
  const ToldTime of_large = large.told();
  const double predicted = of_large.time - of_empty.time;
  const double measured = large.measured() - empty.measured();
  if (predicted < enough_bytes * of_empty.time || measured <= 0) return {};
  std::vector<double> replicates;
  for (std::size_t r = 0; r < of_large.replicates.size(); ++r) {
    replicates.push_back(of_large.replicates[r] - of_empty.replicates[r]);
  }
  const double scatter =
      std::hypot(large.scatter() * large.measured(), empty.scatter() * empty.measured()) / measured;
  const double model = std::hypot(spreading.sd(replicates, predicted), of_large.misfit / predicted);
  return {std::log(measured / predicted), std::hypot(model, scatter)};
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
std::vector<ToldTime> told_of(const Model& job, const std::vector<SurveyedTrip>& trips,
                              Spreading& spreading) {
  const std::string name = job.preferred();
  std::vector<Query> queries;
  for (const SurveyedTrip& trip : trips) {
    queries.push_back({name, Operation::p2p, trip.from, trip.to, trip.size});
    queries.push_back({name, Operation::p2p, trip.to, trip.from, Bytes{0}});
  }
  std::vector<ToldTime> all;
  const auto found = predict_with_replicates(job, queries);
  for (std::size_t k = 0; k < found.size(); ++k) {
    if (!found[k]) {
      throw InputError("the model doesn't know messages from rank " +
                       std::to_string(queries[k].from) + " to rank " +
                       std::to_string(queries[k].to) + ": calibrate with --logp-pairs all");
    }
    const auto& [prediction, replicates] = *found[k];
    spreading.set(replicates.kind);
    const ToldTime one{prediction.time.value, spreading.misfit(prediction, replicates.times_s),
                       replicates.times_s};
    if (k % 2 == 0) all.emplace_back();
    all.back() += one;
  }
  return all;
}

/// The larger of both sizes that there are.
Bytes large_size(const std::vector<SurveyedTrip>& trips) {
  Bytes size{1};
  for (const SurveyedTrip& trip : trips) size = std::max(size, trip.size);
  return size;
}

std::vector<Look> looks_of(const Job& job, const std::vector<SurveyedTrip>& trips) {
  const auto size = static_cast<double>(large_size(trips).value);
  for (const SurveyedTrip& trip : trips) check(trip, job.model.ranks);
  Spreading spreading(job.model);
  const std::vector<ToldTime> told = told_of(job.model, trips, spreading);
  std::map<std::pair<int, int>, std::array<Trips, 2>> of_pairs;
  for (std::size_t k = 0; k < trips.size(); ++k) {
    const SurveyedTrip& trip = trips[k];
    of_pairs[std::minmax(trip.from, trip.to)][trip.size.value > 0 ? 1 : 0].add(trip.time_s,
                                                                               told[k]);
  }
  std::vector<Look> looks;
  for (const auto& [pair, both] : of_pairs) {
    const auto& [empty, large] = both;
    const bool has_both = empty.any() && large.any();
    looks.push_back({pair.first,
                     pair.second,
                     job.class_of(pair.first, pair.second),
                     {part_of_empty(empty, spreading), part_of_bytes(empty, large, spreading)},
                     has_both ? (large.told().time - empty.told().time) / size : 0});
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
    for (const int host : hosts_) {
      found.deviations.push_back(deviation_of_host(host));
      const std::optional<SecondsPerByte> slow = slow_link_of(host);
      if (slow) found.slow_links.emplace(job_.name(host), *slow);
    }
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

  /// Standard deviation of the class's looks, by the half of them that lie closest together: the
  /// others may be anything. For small samples as in Rousseeuw and Leroy 1987, chapter 5.
  [[nodiscard]] double scatter(const Look& look, PartOf part) const {
    std::vector<double> values = logs(of_class_.at(look.of), part);
    const std::size_t n = values.size();
    if (n < enough_to_scatter) return 0;
    std::ranges::sort(values);
    const std::size_t half = n - n / 2;
    double shortest = values.back() - values.front();
    for (std::size_t k = 0; k + half <= n; ++k) {
      shortest = std::min(shortest, values[k + half - 1] - values[k]);
    }
    return deviation_per_mad * (1 + 5.0 / (static_cast<double>(n) - 1)) * shortest / 2;
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

  /// −1 or 1 if one of its parts is surely shorter or longer; what bytes add counts first.
  [[nodiscard]] int side(const Look& look) const {
    const int of_bytes = side(look, per_byte);
    return of_bytes != 0 ? of_bytes : side(look, fixed);
  }

  /// How many of the looks stand out to the side to which more of them do.
  [[nodiscard]] std::size_t standing_out(const std::vector<std::size_t>& looks) const {
    const auto of_side = [&](int wanted) {
      return static_cast<std::size_t>(
          std::ranges::count_if(looks, [&](std::size_t k) { return side(looks_[k]) == wanted; }));
    };
    return std::max(of_side(-1), of_side(1));
  }

  void find_exceptions() {
    hosts_.clear();
    insides_.clear();
    links_.clear();
    for (const auto& [host, looks] : of_inside_) {
      if (of_inside_.size() >= enough_to_scatter && standing_out(looks) == looks.size()) {
        insides_.insert(host);
      }
    }
    for (std::size_t k = 0; k < looks_.size(); ++k) {
      const Look& look = looks_[k];
      const bool has_others = of_class_.at(look.of).size() >= least_looks;
      if (!look.of.is_within && has_others && side(look) != 0) links_.insert(k);
    }
    while (const std::optional<int> host = most_to_blame()) {
      hosts_.insert(*host);
      std::erase_if(links_, [&](std::size_t k) { return has_exceptional_host(looks_[k]); });
    }
  }

  /// The host that explains most of the links that stand out: two of its own do, half of them at
  /// least (a slow neighbour may hide the others). Nothing: none does.
  [[nodiscard]] std::optional<int> most_to_blame() const {
    std::optional<int> found;
    std::pair<std::size_t, std::size_t> most{0, 0};
    for (const auto& [host, looks] : of_host_) {
      const std::size_t all = standing_out(looks);
      if (is_exceptional(host) || all < 2 || 2 * all < looks.size()) continue;
      const auto unexplained = static_cast<std::size_t>(
          std::ranges::count_if(looks, [&](std::size_t k) { return links_.contains(k); }));
      if (unexplained == 0 || std::pair(unexplained, all) <= most) continue;
      most = {unexplained, all};
      found = host;
    }
    return found;
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

  /// Those with hosts that are as usual; where there are none, all.
  [[nodiscard]] std::vector<std::size_t> looks_with_usual_hosts(int host) const {
    std::vector<std::size_t> found;
    for (const std::size_t k : of_host_.at(host)) {
      const Look& look = looks_[k];
      const int other = job_.host(look.a) == host ? job_.host(look.b) : job_.host(look.a);
      if (!is_exceptional(other)) found.push_back(k);
    }
    return found.empty() ? of_host_.at(host) : found;
  }

  /// Those of which this part stands out; where none does, all.
  [[nodiscard]] std::vector<std::size_t> that_stand_out(const std::vector<std::size_t>& looks,
                                                        PartOf part) const {
    std::vector<std::size_t> found;
    std::ranges::copy_if(looks, std::back_inserter(found),
                         [&](std::size_t k) { return side(looks_[k], part) != 0; });
    return found.empty() ? looks : found;
  }

  [[nodiscard]] Deviation deviation_of_host(int host) const {
    const std::vector<std::size_t> looks = looks_with_usual_hosts(host);
    const double centre = centre_of(looks, per_byte);
    return {Deviation::Where::host,
            {job_.name(host)},
            estimate(looks, fixed, centre_of(looks, fixed)),
            estimate(that_stand_out(looks, per_byte), per_byte, centre)};
  }

  /// What a byte of its messages takes at least, if that is longer than it was.
  [[nodiscard]] std::optional<SecondsPerByte> slow_link_of(int host) const {
    std::vector<double> times;
    for (const std::size_t k : looks_with_usual_hosts(host)) {
      const Look& look = looks_[k];
      if (side(look, per_byte) > 0) {
        times.push_back(look.predicted_byte_s * std::exp(look.parts[per_byte].log_ratio));
      }
    }
    if (times.empty()) return std::nullopt;
    return SecondsPerByte{median(times)};
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

namespace {

constexpr std::size_t most_hosts_by_pairs = 128;  ///< whose speed is asked of each pair

/// What the model says of the largest message that it was fitted for, between two ranks [s].
std::vector<double> largest_times(const Model& job, const std::vector<Pair>& pairs) {
  const std::string name = job.preferred();
  std::vector<PairMessage> messages;
  for (const auto& [from, to] : pairs) messages.push_back({from, to, fitted_sizes(job, name).last});
  std::vector<double> times;
  for (const MessageTime& one : predict_message_times(job, name, Side::receiver, messages)) {
    times.push_back(one.time.value);
  }
  return times;
}

/// Pairs between hosts, each host in those with all others that may be the fastest.
std::vector<Pair> pairs_for_speed(const Model& job, const std::vector<std::vector<int>>& hosts) {
  std::vector<Pair> pairs;
  if (has_kinds(job)) {
    for (const auto& [from, to] : job.classes->pairs->examples()) {
      if (from >= 0 && job.host(from) != job.host(to)) pairs.push_back({from, to});
    }
  } else if (hosts.size() <= most_hosts_by_pairs) {
    for (const auto& a : hosts) {
      for (const auto& b : hosts) {
        if (a.front() != b.front()) pairs.push_back({a.front(), b.front()});
      }
    }
  }
  return pairs;
}

/// How long messages of each host's fastest pair take, in steps of a tenth: a slow neighbour hides
/// what changes on a fast host.
std::vector<int> speeds(const Model& job, const std::vector<std::vector<int>>& hosts) {
  const std::vector<Pair> pairs = pairs_for_speed(job, hosts);
  const std::vector<double> times = largest_times(job, pairs);
  const auto key = [&](int rank) {
    return has_kinds(job) ? static_cast<int>(job.classes->pairs->of(rank).kind) : rank;
  };
  std::map<int, double> fastest;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    for (const int rank : pairs[k]) {
      const auto [known, is_new] = fastest.try_emplace(key(rank), times[k]);
      if (!is_new) known->second = std::min(known->second, times[k]);
    }
  }
  std::vector<int> steps;
  for (const std::vector<int>& ranks : hosts) {
    const auto known = fastest.find(key(ranks.front()));
    const double time = known == fastest.end() ? 1 : known->second;
    steps.push_back(static_cast<int>(std::lround(std::log(time) / std::log1p(alike_within))));
  }
  return steps;
}

/// In a random order in which hosts of similar speed are neighbours, the last and the first, too.
std::vector<std::vector<int>> ring_of(const Model& job, std::mt19937_64& random) {
  std::vector<std::vector<int>> hosts = ranks_of_hosts(host_names(job));
  shuffle(std::span{hosts}, random);
  const std::vector<int> speed = speeds(job, hosts);
  std::vector<std::size_t> order(hosts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t host) { return speed[host]; });
  std::vector<std::vector<int>> ring;
  for (std::size_t k = 0; k < order.size(); k += 2) ring.push_back(hosts[order[k]]);
  for (std::size_t k = order.size(); k-- > 0;) {
    if (k % 2 == 1) ring.push_back(hosts[order[k]]);
  }
  return ring;
}

}  // namespace

std::vector<std::vector<Pair>> pairs_that_tell(const Model& job, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::vector<std::vector<int>> hosts = ring_of(job, random);
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
  Freshness found = Judging(of, looks_of(of, trips)).result();
  found.size = large_size(trips);
  return found;
}

std::vector<std::vector<Pair>> pairs_that_confirm(const Model& job, const Freshness& found) {
  std::set<std::string> suspected;
  for (const Deviation& one : found.deviations) {
    suspected.insert(one.hosts.begin(), one.hosts.end());
  }
  std::mt19937_64 random(suspected.size());
  const std::vector<std::vector<int>> ring = ring_of(job, random);
  const auto is_suspected = [&](std::size_t place) {
    return suspected.contains(job.host(ring[place].front()));
  };
  std::vector<Pair> pairs;
  // By those beside it in the ring, both ways: hosts of its speed.
  const auto ask_two_trusted = [&](std::size_t place) {
    for (const std::size_t step : {std::size_t{1}, ring.size() - 1}) {
      std::size_t other = (place + step) % ring.size();
      while (other != place && is_suspected(other)) other = (other + step) % ring.size();
      if (other != place) pairs.push_back({ring[other].front(), ring[place].front()});
    }
  };
  std::map<std::string, std::vector<int>> of_suspects;
  for (std::size_t place = 0; place < ring.size(); ++place) {
    if (!is_suspected(place)) continue;
    of_suspects[job.host(ring[place].front())] = ring[place];
    ask_two_trusted(place);
  }
  for (const Deviation& one : found.deviations) {
    const std::vector<int>& ranks = of_suspects[one.hosts.front()];
    if (one.where == Deviation::Where::within_host) pairs.push_back({ranks[0], ranks[1]});
    if (one.where == Deviation::Where::between_hosts) {
      pairs.push_back({ranks.front(), of_suspects[one.hosts.back()].front()});
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

namespace {

/// What drifted and what deviates, pair by pair.
class Corrections {
 public:
  Corrections(const Model& job, const Freshness& found)
      : job_{job}, found_{found}, of_{job}, z_{normal_quantile(job.confidence)} {}

  [[nodiscard]] TimeFactors operator()(int from, int to) const {
    TimeFactors factors;
    const Class own = of_.class_of(from, to);
    for (const ClassFreshness& one : found_.classes) {
      if (Class{one.is_within, {one.kinds[0], one.kinds[1]}} != own) continue;
      multiply(factors, one.fixed, one.per_byte, z_, Judging::has_drifted);
    }
    for (const Deviation& one : found_.deviations) {
      if (!concerns(one, job_.host(from), job_.host(to))) continue;
      Estimate bytes = one.per_byte;
      if (one.where == Deviation::Where::host) bytes = by_slowest_link(bytes, one, from, to);
      multiply(factors, one.fixed, bytes, z_, excludes_1);
    }
    return factors;
  }

 private:
  static bool excludes_1(const Estimate& ratio) { return ratio.low > 1 || ratio.high < 1; }

  /// A message passes one link after the other, and the slowest counts: the pair's own may be
  /// slower than the host's is now.
  [[nodiscard]] Estimate by_slowest_link(const Estimate& ratio, const Deviation& one, int from,
                                         int to) const {
    const auto slow = found_.slow_links.find(one.hosts.front());
    if (slow == found_.slow_links.end() || !excludes_1(ratio)) return ratio;
    const double factor = slow->second.value / byte_time(from, to);
    if (!(factor > 1)) return {1, 1, 1};
    return {factor, factor * ratio.low / ratio.value, factor * ratio.high / ratio.value};
  }

  [[nodiscard]] double byte_time(int from, int to) const {
    const std::vector<PairMessage> messages{{from, to, Bytes{0}}, {from, to, found_.size}};
    const auto times = predict_message_times(job_, job_.preferred(), Side::receiver, messages);
    return (times[1].time - times[0].time).value / static_cast<double>(found_.size.value);
  }

  const Model& job_;
  const Freshness& found_;
  Job of_;
  double z_;
};

}  // namespace

Model refreshed(const Model& job, const Freshness& found) {
  if (found.holds()) return job;
  std::map<std::string, std::string> apart;
  for (const Deviation& one : found.deviations) {
    for (const std::string& host : one.hosts) apart[host] = "host " + host;
  }
  Model model = shifted(job, apart, Corrections(job, found));
  std::ranges::copy(found.deviations, std::back_inserter(model.classes->deviations));
  std::ranges::copy(found.diagnostics(), std::back_inserter(model.warnings));
  return model;
}

}  // namespace commgauge
