#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "commgauge/base/places.hpp"
#include "commgauge/judge/pair_class.hpp"
#include "commgauge/model/model.hpp"
#include "commgauge/model/model_list.hpp"

namespace commgauge {

/// Whether some ranks are alike: else each pair has its own values.
[[nodiscard]] inline bool has_kinds(const Model& job) {
  return job.classes && !job.classes->each_rank_its_own();
}

/// The best-ranked model that tells messages of any size between any two ranks. The LogP family may
/// be of some pairs only: it is taken where there is no other. @throws InputError  there is none.
[[nodiscard]] inline std::string model_that_tells(const Model& job) {
  for (const std::string& name : job.names()) {
    const FitFacts facts = facts_of(name);
    if (facts.tells.any_size && !facts.has_overheads()) return name;
  }
  return job.preferred();
}

/// The hosts of a job's ranks, and the classes of its pairs.
class JobPairs {
 public:
  explicit JobPairs(const Model& of)
      : model{of},
        names_{of.hosts()},
        hosts_{numbered(names_)},
        first_ranks_{first_places(hosts_)} {}

  [[nodiscard]] int host(int rank) const { return hosts_[at(rank)]; }
  [[nodiscard]] int hosts() const { return static_cast<int>(first_ranks_.size()); }
  [[nodiscard]] const std::string& name(int host) const {
    return names_[at(first_ranks_[at(host)])];
  }
  [[nodiscard]] PairClass class_of(int a, int b) const {
    const bool is_within = host(a) == host(b);
    if (!has_kinds(model)) return {is_within, {-1, -1}};
    const PairClasses& pairs = *model.classes->pairs;
    const auto [low, high] = std::minmax({pairs.of(a).kind, pairs.of(b).kind});
    return {is_within, {low, high}};
  }
  [[nodiscard]] std::string name_of(const PairClass& one) const {
    const std::string where = one.is_within ? "within a host" : "between hosts";
    if (one.kinds[0] < 0) return where;
    return model.classes->name_of_class(
        model.classes->pairs->class_of_kinds(one.kinds[0], one.kinds[1], one.is_within));
  }

  const Model& model;

 private:
  static std::vector<int> first_places(const std::vector<int>& numbers) {
    std::vector<int> first;
    for (const std::vector<int>& places : places_of_numbers(numbers)) {
      first.push_back(places.front());
    }
    return first;
  }

  std::vector<std::string> names_;
  std::vector<int> hosts_;        ///< by rank
  std::vector<int> first_ranks_;  ///< by host
};

}  // namespace commgauge
