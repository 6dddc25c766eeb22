#include "commgauge/judge/freshness.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "commgauge/base/statistics.hpp"
#include "commgauge/base/text.hpp"
#include "commgauge/base/unknown_value.hpp"
#include "judge/job_pairs.hpp"
#include "judge/looks.hpp"

namespace commgauge {

namespace {

constexpr Estimate unknown_ratio{unknown_value, unknown_value, unknown_value};
constexpr double least_drift = 0.05;
constexpr double sure_drift = 1.5;            ///< half widths of a class's interval
constexpr std::size_t enough_to_scatter = 5;  ///< looks of a class tell how they differ
constexpr double sure_deviation = 3;          ///< standard deviations of a host's or a link's time
constexpr std::size_t least_looks = 3;      ///< of a class, so that one can differ from the others
constexpr std::size_t most_exceptions = 3;  ///< at most a third of the hosts are exceptions

}  // namespace

bool surely_drifted(const Estimate& ratio) {
  if (std::isnan(ratio.value)) return false;
  const double away = std::abs(std::log(ratio.value));
  const double half = std::log(ratio.high / ratio.low) / 2;
  return away > std::log1p(least_drift) && away > sure_drift * half;
}

namespace {

/// Tells which hosts and links are the exception among the others.
class Judging {
 public:
  Judging(const JobPairs& job, std::vector<Look> looks) : job_{job}, looks_{std::move(looks)} {
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
    find_chances();
    find_exceptions();
    // What the file says is believed as long as it makes few hosts an exception.
    const bool few_hosts = hosts_.size() * most_exceptions <= of_host_.size();
    const bool few_insides = insides_.size() * most_exceptions <= of_inside_.size();
    if (!few_hosts || !few_insides) {
      take_medians_for_centres(few_hosts, few_insides);
      find_exceptions();
    }
    for (const auto& [one, own] : of_class_) classes_.push_back(freshness_of(one, own));
  }

  [[nodiscard]] Freshness result() const {
    Freshness found;
    found.classes = classes_;
    const auto add = [&](Deviation one) {
      if (is_sure(one)) found.deviations.push_back(std::move(one));
    };
    for (const int host : hosts_) {
      add(deviation(Deviation::Where::host, {job_.name(host)}, looks_with_usual_hosts(host)));
      const std::optional<SecondsPerByte> slow = slow_link_of(host);
      if (slow) found.slow_links.emplace(job_.name(host), *slow);
    }
    for (const int host : insides_) {
      add(deviation(Deviation::Where::within_host, {job_.name(host)}, of_inside_.at(host)));
    }
    for (const std::size_t k : links_) {
      const Look& look = looks_[k];
      add(deviation(Deviation::Where::between_hosts,
                    {job_.name(job_.host(look.a)), job_.name(job_.host(look.b))}, {k}));
    }
    for (int host = 0; job_.hosts() > 2 && host < job_.hosts(); ++host) {
      const auto own = of_host_.find(host);
      if (own == of_host_.end() || own->second.size() < 2) {
        found.not_judged.push_back(job_.name(host));
      }
    }
    return found;
  }

 private:
  static bool is_sure(const Deviation& one) {
    return excludes_1(one.fixed) || excludes_1(one.per_byte);
  }

  /// −1 if the look is surely shorter than those of its class, 1 if longer, 0 if neither.
  [[nodiscard]] int side(const Look& look, TimeOf part) const {
    const LookPart& one = look.parts[part];
    const double away = one.log_ratio - centres_.at(look.of)[part];
    const std::optional<double>& of_class = chances_.at(look.of)[part];
    const double limit =
        std::max(std::log1p(alike_within),
                 sure_deviation * std::hypot(one.sd, of_class.value_or(one.misfit)));
    if (std::isnan(away) || !(std::abs(away) > limit)) return 0;
    return away > 0 ? 1 : -1;
  }

  /// How far looks of a class may be apart by chance, beyond their own errors.
  void find_chances() {
    for (const auto& [one, looks] : of_class_) {
      for (const TimeOf part : times_of) chances_[one][part] = by_chance(logs(looks, part));
    }
  }

  /// Many looks show how they differ: their standard deviation by the half of them that lie closest
  /// together, for the others may be anything. Nothing of few: there it is what the model leaves
  /// out.
  static std::optional<double> by_chance(std::vector<double> values) {
    const std::size_t n = values.size();
    if (n < enough_to_scatter) return std::nullopt;
    std::ranges::sort(values);
    const std::size_t half = n - n / 2;
    double shortest = values.back() - values.front();
    for (std::size_t k = 0; k + half <= n; ++k) {
      shortest = std::min(shortest, values[k + half - 1] - values[k]);
    }
    return deviation_per_mad * few_values_factor(n) * shortest / 2;
  }

  /// Of these looks' parts, those that are known.
  [[nodiscard]] std::vector<std::size_t> known(const std::vector<std::size_t>& looks,
                                               TimeOf part) const {
    std::vector<std::size_t> found;
    std::ranges::copy_if(looks, std::back_inserter(found), [&](std::size_t k) {
      return !std::isnan(looks_[k].parts[part].log_ratio);
    });
    return found;
  }

  [[nodiscard]] std::vector<double> logs(const std::vector<std::size_t>& looks, TimeOf part) const {
    std::vector<double> values;
    for (const std::size_t k : known(looks, part)) {
      values.push_back(looks_[k].parts[part].log_ratio);
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
    const int of_bytes = side(look, each_byte);
    return of_bytes != 0 ? of_bytes : side(look, empty_message);
  }

  /// How many of the looks stand out to the side to which more of them do.
  [[nodiscard]] std::size_t standing_out(const std::vector<std::size_t>& looks) const {
    const auto of_side = [&](int wanted) {
      return static_cast<std::size_t>(
          std::ranges::count_if(looks, [&](std::size_t k) { return sides_[k] == wanted; }));
    };
    return std::max(of_side(-1), of_side(1));
  }

  void find_exceptions() {
    hosts_.clear();
    insides_.clear();
    links_.clear();
    sides_.clear();
    for (const Look& look : looks_) sides_.push_back(side(look));
    for (const auto& [host, looks] : of_inside_) {
      if (of_inside_.size() >= enough_to_scatter && standing_out(looks) == looks.size()) {
        insides_.insert(host);
      }
    }
    for (std::size_t k = 0; k < looks_.size(); ++k) {
      const Look& look = looks_[k];
      const bool has_others = of_class_.at(look.of).size() >= least_looks;
      if (!look.of.is_within && has_others && sides_[k] != 0) links_.insert(k);
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

  void take_medians_for_centres(bool not_between, bool not_within) {
    for (const auto& [one, looks] : of_class_) {
      if (one.is_within ? not_within : not_between) continue;
      for (const TimeOf part : times_of) {
        const std::vector<double> values = logs(looks, part);
        if (values.size() >= least_looks) centres_[one][part] = median(values);
      }
    }
  }

  /// Median of a class's looks against the model, with an interval of the looks' mean.
  [[nodiscard]] Estimate estimate_of_class(const std::vector<std::size_t>& looks,
                                           TimeOf part) const {
    const std::vector<double> ratios = logs(looks, part);
    if (ratios.empty()) return unknown_ratio;
    std::vector<double> sds;
    for (const std::size_t k : known(looks, part)) {
      const LookPart& one = looks_[k].parts[part];
      sds.push_back(std::hypot(one.sd, one.misfit));
    }
    const double confidence = job_.model.confidence;
    const auto n = static_cast<double>(ratios.size());
    const double scatter =
        ratios.size() < 2 ? 0
                          : student_quantile(confidence, n - 1) * std::sqrt(variance(ratios) / n);
    const double half = std::hypot(normal_quantile(confidence) * median(sds), scatter);
    const double middle = median(ratios);
    return {std::exp(middle), std::exp(middle - half), std::exp(middle + half)};
  }

  /// Median of an exception's looks against what their classes do now. Its messages need not differ
  /// alike: the interval holds them all.
  [[nodiscard]] Estimate estimate_of_exception(const std::vector<std::size_t>& looks,
                                               TimeOf part) const {
    std::vector<double> ratios;
    std::vector<double> sds;
    for (const std::size_t k : known(looks, part)) {
      const LookPart& one = looks_[k].parts[part];
      ratios.push_back(one.log_ratio - log_of_class(looks_[k].of, part));
      sds.push_back(std::hypot(one.sd, chances_.at(looks_[k].of)[part].value_or(one.misfit)));
    }
    if (ratios.empty()) return unknown_ratio;
    const double half = normal_quantile(job_.model.confidence) * median(sds);
    const auto [least, most] = std::ranges::minmax(ratios);
    return {std::exp(median(ratios)), std::exp(least - half), std::exp(most + half)};
  }

  /// Of the class's corrected times / the model's; 0 where it hasn't drifted.
  [[nodiscard]] double log_of_class(const PairClass& one, TimeOf part) const {
    const ClassFreshness& own = *std::ranges::find(classes_, one, &ClassFreshness::of);
    const Estimate& ratio = part == each_byte ? own.per_byte : own.fixed;
    return surely_drifted(ratio) ? std::log(ratio.value) : 0;
  }

  /// Without hosts and links that are exceptions.
  [[nodiscard]] std::vector<std::size_t> usual_of(const std::vector<std::size_t>& looks) const {
    std::vector<std::size_t> usual;
    std::ranges::copy_if(looks, std::back_inserter(usual), [&](std::size_t k) {
      return !links_.contains(k) && !has_exceptional_host(looks_[k]);
    });
    return usual;
  }

  [[nodiscard]] ClassFreshness freshness_of(const PairClass& one,
                                            const std::vector<std::size_t>& own) const {
    const std::vector<std::size_t> usual = usual_of(own);
    ClassFreshness result;
    result.of = one;
    result.pairs = job_.name_of(one);
    result.measured = std::ssize(usual);
    result.fixed = estimate_of_class(usual, empty_message);
    result.per_byte = estimate_of_class(usual, each_byte);
    if (usual.empty()) return result;
    const bool drifted = surely_drifted(result.fixed) || surely_drifted(result.per_byte);
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
                                                        TimeOf part) const {
    std::vector<std::size_t> found;
    std::ranges::copy_if(looks, std::back_inserter(found),
                         [&](std::size_t k) { return side(looks_[k], part) != 0; });
    return found.empty() ? looks : found;
  }

  [[nodiscard]] Deviation deviation(Deviation::Where where, std::vector<std::string> hosts,
                                    const std::vector<std::size_t>& looks) const {
    return {where, std::move(hosts), estimate_of_exception(looks, empty_message),
            estimate_of_exception(that_stand_out(looks, each_byte), each_byte)};
  }

  /// What a byte of its messages takes at least, if that is longer than it was.
  [[nodiscard]] std::optional<SecondsPerByte> slow_link_of(int host) const {
    std::vector<double> times;
    for (const std::size_t k : looks_with_usual_hosts(host)) {
      const Look& look = looks_[k];
      if (side(look, each_byte) > 0) {
        times.push_back(look.predicted_byte_s * std::exp(look.parts[each_byte].log_ratio));
      }
    }
    if (times.empty()) return std::nullopt;
    return SecondsPerByte{median(times)};
  }

  const JobPairs& job_;
  std::vector<Look> looks_;
  std::map<PairClass, std::vector<std::size_t>> of_class_;
  std::map<int, std::vector<std::size_t>> of_host_;    ///< with other hosts
  std::map<int, std::vector<std::size_t>> of_inside_;  ///< between its own ranks
  std::map<PairClass, std::array<double, 2>> centres_;
  std::map<PairClass, std::array<std::optional<double>, 2>> chances_;
  std::vector<ClassFreshness> classes_;
  std::vector<int> sides_;  ///< by look
  std::set<int> hosts_;     ///< exceptions in messages with others
  std::set<int> insides_;   ///< exceptions in messages within
  std::set<std::size_t> links_;
};

}  // namespace

bool Freshness::differs() const {
  const auto has_drifted = [](const ClassFreshness& one) {
    return one.state == ClassFreshness::State::drifted;
  };
  return !deviations.empty() || std::ranges::any_of(classes, has_drifted);
}

bool Freshness::holds() const {
  const auto holds = [](const ClassFreshness& one) {
    return one.state == ClassFreshness::State::holds;
  };
  return deviations.empty() && std::ranges::all_of(classes, holds);
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

std::set<PairClass> classes_there(const JobPairs& job) {
  std::set<PairClass> there;
  if (has_kinds(job.model)) {
    for (const auto& [from, to] : job.model.classes->pairs->examples()) {
      if (from >= 0) there.insert(job.class_of(from, to));
    }
    return there;
  }
  if (job.hosts() > 1) there.insert({false, {-1, -1}});
  if (job.hosts() < job.model.ranks) there.insert({true, {-1, -1}});
  return there;
}

/// Those of which nothing was measured.
void add_unknown_classes(const JobPairs& job, Freshness& found) {
  for (const PairClass& one : classes_there(job)) {
    if (std::ranges::find(found.classes, one, &ClassFreshness::of) != found.classes.end()) continue;
    ClassFreshness unknown;
    unknown.of = one;
    unknown.pairs = job.name_of(one);
    unknown.fixed = unknown.per_byte = unknown_ratio;
    found.classes.push_back(unknown);
  }
}

}  // namespace

Freshness freshness(const Model& job, const std::vector<SurveyedTrip>& trips) {
  const JobPairs of(job);
  Freshness found = Judging(of, looks_of(of, trips)).result();
  found.size = large_size(trips);
  add_unknown_classes(of, found);
  return found;
}

}  // namespace commgauge
