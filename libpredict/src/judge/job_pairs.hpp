#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "commgauge/base/places.hpp"
#include "commgauge/model/model.hpp"

namespace commgauge {

/// By rank.
[[nodiscard]] inline std::vector<std::string> host_names(const Model& job) {
  std::vector<std::string> names;
  for (int rank = 0; rank < job.ranks; ++rank) names.push_back(job.host(rank));
  return names;
}

/// Whether some ranks are alike: else each pair has its own values.
[[nodiscard]] inline bool has_kinds(const Model& job) {
  return job.classes && !job.classes->each_rank_its_own();
}

/// Of which class a pair is, in any direction.
struct PairClass {
  bool is_within;
  std::array<int, 2> kinds;  ///< ascending; −1: any
  auto operator<=>(const PairClass&) const = default;
};

/// Of which hosts and classes a job's ranks and pairs are.
class JobPairs {
 public:
  explicit JobPairs(const Model& of)
      : model{of}, names_{host_names(of)}, hosts_{numbered(names_)} {}

  [[nodiscard]] int host(int rank) const { return hosts_[at(rank)]; }
  [[nodiscard]] int hosts() const { return 1 + std::ranges::max(hosts_); }
  [[nodiscard]] const std::string& name(int host) const {
    return names_[at(static_cast<int>(std::ranges::find(hosts_, host) - hosts_.begin()))];
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
  std::vector<std::string> names_;
  std::vector<int> hosts_;
};

}  // namespace commgauge
