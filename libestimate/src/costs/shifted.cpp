#include "commgauge/costs/shifted.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "commgauge/base/index.hpp"
#include "commgauge/base/shuffle.hpp"
#include "commgauge/base/statistics.hpp"
#include "commgauge/model/classed.hpp"
#include "commgauge/model/flatten.hpp"
#include "commgauge/model/model_list.hpp"
#include "costs/each_its_own.hpp"
#include "costs/refinement.hpp"

namespace commgauge {

namespace {

constexpr double least_factor_of_rank = 0.1;

/// Factors by class and kind of the divided machine.
struct FactorsOfClasses {
  std::vector<TimeFactors> of_classes;
  std::vector<TimeFactors> of_kinds;
};

/// Of a kind's messages to others of it; of a single host's 2·f − 1, so that the mean of it and of
/// another host's 1 is f.
TimeFactors factors_of_kind(const PairClasses& pairs,
                            const std::vector<PairClasses::Pair>& examples,
                            const std::vector<TimeFactors>& of_classes, int kind) {
  const int own = pairs.class_of_kinds(kind, kind, false);
  if (examples[at(own)].from >= 0) return of_classes[at(own)];
  for (int other = 0; other < pairs.kinds(); ++other) {
    const int one = pairs.class_of_kinds(kind, other, false);
    if (examples[at(one)].from < 0) continue;
    TimeFactors factors = of_classes[at(one)];
    factors.fixed = std::max(least_factor_of_rank, 2 * factors.fixed - 1);
    factors.per_byte = std::max(least_factor_of_rank, 2 * factors.per_byte - 1);
    return factors;
  }
  return of_classes[at(pairs.class_of_kinds(kind, kind, true))];
}

FactorsOfClasses factors_by_class(const PairClasses& pairs,
                                  const std::function<TimeFactors(int, int)>& of_pair) {
  const std::vector<PairClasses::Pair> examples = pairs.examples();
  FactorsOfClasses factors;
  for (const auto& [from, to] : examples) {
    factors.of_classes.push_back(from < 0 ? TimeFactors{} : of_pair(from, to));
  }
  for (int kind = 0; kind < pairs.kinds(); ++kind) {
    factors.of_kinds.push_back(factors_of_kind(pairs, examples, factors.of_classes, kind));
  }
  return factors;
}

/// Normal samples, a value for each replicate, in random order. Factors that are the same, of pairs
/// that drifted together, are drawn together.
class Samples {
 public:
  explicit Samples(std::size_t count) : count_{count} {}

  [[nodiscard]] double deviation(double factor, double sd, std::size_t replicate) {
    const auto next = samples_.size();
    std::vector<double>& sample = samples_[{factor, sd}];
    if (sample.empty()) sample = drawn(next);
    return sample[replicate];
  }

 private:
  [[nodiscard]] std::vector<double> drawn(std::size_t seed) const {
    std::vector<double> values;
    for (std::size_t k = 0; k < count_; ++k) {
      const double probability = (static_cast<double>(k) + 0.5) / static_cast<double>(count_);
      const double two_sided = std::abs(2 * probability - 1);
      const double size = two_sided < 1e-12 ? 0 : normal_quantile(two_sided);
      values.push_back(std::copysign(size, probability - 0.5));
    }
    std::mt19937_64 random(seed);
    shuffle(std::span{values}, random);
    return values;
  }

  std::size_t count_;
  std::map<std::pair<double, double>, std::vector<double>> samples_;
};

/// How many standard deviations a factor is away from its value.
using Deviations = std::function<double(double factor, double sd)>;

std::vector<HostEffect> drawn(const std::vector<TimeFactors>& all, const Deviations& deviations) {
  const auto away = [&](double factor, double sd) {
    return sd > 0 ? factor * std::exp(sd * deviations(factor, sd)) : factor;
  };
  std::vector<HostEffect> effects;
  for (const TimeFactors& one : all) {
    effects.push_back({away(one.fixed, one.fixed_sd), away(one.per_byte, one.per_byte_sd)});
  }
  return effects;
}

Effects drawn(const FactorsOfClasses& factors, const Deviations& deviations) {
  return {drawn(factors.of_classes, deviations), drawn(factors.of_kinds, deviations)};
}

template <class Parameters>
concept HasFixedPartOfRanks = requires(Parameters p) {
  p.C;
  p.L;
};
template <class Parameters>
concept HasBytesOfRanks = requires(Parameters p) {
  p.t;
  p.inverse_beta;
};

/// What multiplies the link's part so that link and ranks together take `factor` times as long.
/// Nothing: no factor does.
std::optional<double> factor_of_link(double link, double of_ranks, double factor) {
  const double wanted = factor * (link + of_ranks) - of_ranks;
  if ((link > 0) != (wanted > 0)) return std::nullopt;
  return wanted / link;
}

/// Brings parameters to the divided kinds, and multiplies the times of their messages.
class Shifting {
 public:
  Shifting(std::shared_ptr<const PairClasses> before, const DividedKinds& divided)
      : after_{divided.classes.pairs},
        refined_{std::move(before), after_, divided.kinds},
        examples_{after_->examples()} {}

  template <class Parameters>
  [[nodiscard]] Parameters operator()(Parameters parameters, const Parameters& central,
                                      Effects effects) const {
    if constexpr (HasFixedPartOfRanks<Parameters>) {
      leave_to_links(central.L, central.C, &HostEffect::fixed, effects);
    }
    if constexpr (HasBytesOfRanks<Parameters>) {
      leave_to_links(central.inverse_beta, central.t, &HostEffect::per_byte, effects);
    }
    refined_(parameters, central, effects);
    return parameters;
  }

 private:
  /// Ranks' parameters stay and links take what is left, where each link can.
  void leave_to_links(const Matrix& links, const std::vector<double>& ranks,
                      double HostEffect::*part, Effects& effects) const {
    if (links.size() == 0) return;
    std::vector<HostEffect> changed = effects.of_classes;
    bool can = true;
    refined_.for_each_class([&](std::size_t before, std::size_t after, int, int) {
      const auto [from, to] = examples_[after];
      const double link = links.values()[before];
      if (from < 0 || std::isnan(link) || effects.of_classes[after].*part == 1) return;
      const std::optional<double> factor =
          factor_of_link(link, ranks[at(from)] + ranks[at(to)], effects.of_classes[after].*part);
      can = can && factor;
      if (factor) changed[after].*part = *factor;
    });
    if (!can) return;
    effects.of_classes = std::move(changed);
    for (HostEffect& kind : effects.of_kinds) kind.*part = 1;
  }

  std::shared_ptr<const PairClasses> after_;
  Refinement refined_;
  std::vector<PairClasses::Pair> examples_;
};

/// An interval's end, further from the value by what `other` is from it.
template <class Parameters>
Parameters further(const Parameters& end, const Parameters& value, const Parameters& other) {
  std::vector<double> ends = flatten(end);
  const std::vector<double> values = flatten(value);
  const std::vector<double> others = flatten(other);
  for (std::size_t k = 0; k < ends.size(); ++k) {
    const double half = std::hypot(ends[k] - values[k], others[k] - values[k]);
    if (std::isfinite(half)) ends[k] = values[k] + std::copysign(half, ends[k] - values[k]);
  }
  return unflatten(ends, end);
}

template <class Parameters>
void shift(Fitted<Parameters>& fitted, const Shifting& shifting, const FactorsOfClasses& factors,
           double confidence, double share) {
  const Parameters before = fitted.value;
  const auto at_deviation = [&](double deviation) {
    return drawn(factors, [deviation](double, double) { return deviation; });
  };
  const Effects central = at_deviation(0);
  fitted.value = shifting(before, before, central);
  const Parameters sure = shifting(before, before, at_deviation(normal_quantile(confidence)));
  for (auto* const end : {&fitted.low, &fitted.high}) {
    *end = further(shifting(*end, before, central), fitted.value, sure);
  }
  Samples samples(fitted.replicates.size());
  for (std::size_t r = 0; r < fitted.replicates.size(); ++r) {
    const Parameters own = fitted.replicates[r];
    const auto of_replicate = [&](double factor, double sd) {
      return share * samples.deviation(factor, sd, r);
    };
    fitted.replicates[r] = shifting(own, own, drawn(factors, of_replicate));
  }
}

}  // namespace

Model shifted(const Model& model, const std::map<std::string, std::string>& apart,
              const std::function<TimeFactors(int from, int to)>& of_pair) {
  Model result = model.classes ? model : pooled(model, each_its_own(model));
  std::map<std::string, int> groups{{"", 0}};
  std::vector<std::string> names{""};
  std::vector<int> group_of_rank;
  for (int rank = 0; rank < result.ranks; ++rank) {
    const auto host = apart.find(result.host(rank));
    const std::string& name = host == apart.end() ? names.front() : host->second;
    const auto [group, is_new] = groups.try_emplace(name, static_cast<int>(names.size()));
    if (is_new) names.push_back(name);
    group_of_rank.push_back(group->second);
  }
  DividedKinds divided = divided_kinds(result, group_of_rank);
  for (std::size_t kind = 0; kind < divided.kinds.size(); ++kind) {
    const auto [before, group] = divided.kinds[kind];
    divided.classes.kinds[kind].name = result.classes->kinds[at(before)].name;
    if (group > 0) divided.classes.kinds[kind].name += ", " + names[at(group)];
  }
  const FactorsOfClasses factors = factors_by_class(*divided.classes.pairs, of_pair);
  const Shifting shifting(result.classes->pairs, divided);
  for_each_fit(
      [&](const FitFacts& facts, auto& fitted) {
        if (!fitted || !facts.predicts) return;
        shift(*fitted, shifting, factors, result.confidence,
              share_of_spread(result, fitted->replicate_kind));
      },
      result);
  result.classes = std::move(divided.classes);
  return result;
}

}  // namespace commgauge
