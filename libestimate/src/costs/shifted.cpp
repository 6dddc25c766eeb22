#include "commgauge/costs/shifted.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "commgauge/base/index.hpp"
#include "commgauge/base/statistics.hpp"
#include "commgauge/base/unknown_value.hpp"
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
  std::vector<TimeFactors> adding;   ///< by kind, of parameters that add up over a message's ranks
  std::vector<TimeFactors> slowest;  ///< by kind, of those of which the slower rank's counts
};

/// Factors of messages between hosts: all, and those of one kind with others.
std::vector<double> of_messages(const PairClasses& pairs,
                                const std::vector<PairClasses::Pair>& examples,
                                const std::vector<TimeFactors>& of_classes, std::optional<int> kind,
                                double TimeFactors::*part) {
  std::vector<double> found;
  const auto add = [&](int from, int to) {
    const std::size_t one = at(pairs.class_of_kinds(from, to, false));
    if (examples[one].from >= 0) found.push_back(of_classes[one].*part);
  };
  for (int from = 0; from < pairs.kinds(); ++from) {
    if (kind && from != *kind) continue;
    for (int to = 0; to < pairs.kinds(); ++to) add(from, to);
  }
  return found;
}

FactorsOfClasses factors_by_class(const PairClasses& pairs,
                                  const std::function<TimeFactors(int, int)>& of_pair) {
  const std::vector<PairClasses::Pair> examples = pairs.examples();
  FactorsOfClasses factors;
  for (const auto& [from, to] : examples) {
    factors.of_classes.push_back(from < 0 ? TimeFactors{} : of_pair(from, to));
  }
  const auto usual = [&](double TimeFactors::*part) {
    const std::vector<double> all = of_messages(pairs, examples, factors.of_classes, {}, part);
    return all.empty() ? 1 : median(all);
  };
  const double usual_fixed = usual(&TimeFactors::fixed);
  const double usual_bytes = usual(&TimeFactors::per_byte);
  for (int kind = 0; kind < pairs.kinds(); ++kind) {
    const auto own = [&](double TimeFactors::*part) {
      const std::vector<double> its = of_messages(pairs, examples, factors.of_classes, kind, part);
      return its.empty() ? 1 : median(its);
    };
    const double fixed = own(&TimeFactors::fixed);
    const double bytes = own(&TimeFactors::per_byte);
    factors.slowest.push_back({fixed, bytes, 0, 0});
    // A message takes the mean of its two ranks' factors, and most ranks are usual ones.
    factors.adding.push_back({std::max(least_factor_of_rank, 2 * fixed - usual_fixed),
                              std::max(least_factor_of_rank, 2 * bytes - usual_bytes), 0, 0});
  }
  return factors;
}

/// Normal samples, a value for each replicate, in random order. Factors that are the same, of pairs
/// that drifted together, are drawn together.
class Samples {
 public:
  explicit Samples(std::size_t count) : count_{count} {}

  [[nodiscard]] double deviation(double factor, double sd, std::size_t replicate) {
    if (count_ < 2) return 0;
    const auto next = samples_.size();
    std::vector<double>& sample = samples_[{factor, sd}];
    if (sample.empty()) {
      std::mt19937_64 random(next);
      sample = standard_sample(count_, random);
    }
    return sample[replicate];
  }

 private:
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

/// @param slower_counts  of two ranks' parameters, in place of their sum
Effects drawn(const FactorsOfClasses& factors, bool slower_counts, const Deviations& deviations) {
  return {drawn(factors.of_classes, deviations),
          drawn(slower_counts ? factors.slowest : factors.adding, deviations)};
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

/// Brings parameters to the divided kinds, and multiplies the times of their messages.
class Shifting {
 public:
  Shifting(const std::shared_ptr<const PairClasses>& before, const DividedKinds& divided)
      : refined_{before, divided.classes.pairs, divided.kinds},
        examples_{divided.classes.pairs->examples()},
        pairs_before_{before->pair_counts()},
        pairs_after_{divided.classes.pairs->pair_counts()} {}

  template <class Parameters>
  [[nodiscard]] Parameters operator()(const Parameters& parameters, const Parameters& central,
                                      Effects effects) const {
    Parameters result = parameters;
    const std::vector<HostEffect> of_classes = effects.of_classes;
    if constexpr (HasFixedPartOfRanks<Parameters>) {
      if (central.L.size() > 0) stay(effects, &HostEffect::fixed);
    }
    if constexpr (HasBytesOfRanks<Parameters>) stay(effects, &HostEffect::per_byte);
    refined_(result, central, effects);
    if constexpr (HasFixedPartOfRanks<Parameters>) {
      let_links_take(parameters.L, central.C, of_classes, &HostEffect::fixed, result.L);
    }
    if constexpr (HasBytesOfRanks<Parameters>) {
      let_links_take(parameters.inverse_beta, central.t, of_classes, &HostEffect::per_byte,
                     result.inverse_beta);
    }
    scale_means(central, result);
    return result;
  }

 private:
  static void stay(Effects& effects, double HostEffect::*part) {
    for (HostEffect& kind : effects.of_kinds) kind.*part = 1;
  }

  /// What the ranks' parts, which stay, don't take.
  void let_links_take(const Matrix& before, const std::vector<double>& ranks,
                      const std::vector<HostEffect>& effects, double HostEffect::*part,
                      Matrix& after) const {
    if (before.size() == 0) return;
    refined_.for_each_class([&](std::size_t from, std::size_t to, int, int) {
      const auto [i, j] = examples_[to];
      if (i < 0) return;
      const double of_ranks = ranks[at(i)] + ranks[at(j)];
      after.values()[to] = effects[to].*part * (before.values()[from] + of_ranks) - of_ranks;
    });
  }

  /// Means over all pairs, `mean_x` of `x`, that stand beside what they are of.
  template <class Parameters>
  void scale_means(const Parameters& before, Parameters& after) const {
    std::map<std::string, double> ratios;
    visit_fields(before, [&](const FieldFacts& facts, const auto& field) {
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(field)>, Matrix>) {
        ratios[facts.name] = mean_over_pairs(field, pairs_before_);
      }
    });
    visit_fields(after, [&](const FieldFacts& facts, auto& field) {
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(field)>, Matrix>) {
        ratios[facts.name] = mean_over_pairs(field, pairs_after_) / ratios[facts.name];
      }
    });
    visit_fields(after, [&](const FieldFacts& facts, auto& field) {
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(field)>, double>) {
        const std::string name = facts.name;
        const auto of_pairs =
            name.starts_with("mean_") ? ratios.find(name.substr(5)) : ratios.end();
        if (of_pairs != ratios.end() && std::isfinite(of_pairs->second)) field *= of_pairs->second;
      }
    });
  }

  static double mean_over_pairs(const Matrix& matrix, const std::vector<std::int64_t>& counts) {
    if (matrix.size() == 0) return unknown_value;
    double sum = 0;
    double count = 0;
    for (std::size_t one = 0; one < counts.size(); ++one) {
      if (counts[one] == 0 || std::isnan(matrix.values()[one])) continue;
      sum += static_cast<double>(counts[one]) * matrix.values()[one];
      count += static_cast<double>(counts[one]);
    }
    return sum / count;
  }

  Refinement refined_;
  std::vector<PairClasses::Pair> examples_;  ///< by class, after
  std::vector<std::int64_t> pairs_before_;   ///< of each class
  std::vector<std::int64_t> pairs_after_;
};

/// An interval's end, further from the value by what `other` is from it.
/// @param side  −1 of the low end, 1 of the high one
template <class Parameters>
Parameters further(const Parameters& end, const Parameters& value, const Parameters& other,
                   double side) {
  std::vector<double> ends = flatten(end);
  const std::vector<double> values = flatten(value);
  const std::vector<double> others = flatten(other);
  for (std::size_t k = 0; k < ends.size(); ++k) {
    const double half = std::hypot(ends[k] - values[k], others[k] - values[k]);
    if (std::isfinite(half)) ends[k] = values[k] + side * half;
  }
  return unflatten(ends, end);
}

template <class Parameters>
void shift(Fitted<Parameters>& fitted, const Shifting& shifting, const FactorsOfClasses& factors,
           double confidence, double share) {
  constexpr bool slower_counts = std::is_same_v<Parameters, BottleneckParameters>;
  const Parameters before = fitted.value;
  const auto at_deviation = [&](double deviation) {
    return drawn(factors, slower_counts, [deviation](double, double) { return deviation; });
  };
  const Effects central = at_deviation(0);
  fitted.value = shifting(before, before, central);
  const Parameters sure = shifting(before, before, at_deviation(normal_quantile(confidence)));
  fitted.low = further(shifting(fitted.low, before, central), fitted.value, sure, -1);
  fitted.high = further(shifting(fitted.high, before, central), fitted.value, sure, 1);
  Samples samples(fitted.replicates.size());
  for (std::size_t r = 0; r < fitted.replicates.size(); ++r) {
    const Parameters own = fitted.replicates[r];
    const auto of_replicate = [&](double factor, double sd) {
      return share * samples.deviation(factor, sd, r);
    };
    fitted.replicates[r] = shifting(own, own, drawn(factors, slower_counts, of_replicate));
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
  DividedKinds divided = divided_kinds(result, group_of_rank, [&](int rank) {
    const std::string& name = names[at(group_of_rank[at(rank)])];
    return name.empty() ? name : ", " + name;
  });
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
