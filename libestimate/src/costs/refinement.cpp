#include "costs/refinement.hpp"

#include <cstdint>
#include <map>
#include <set>

#include "commgauge/model/spread.hpp"

namespace commgauge {

DividedKinds divided_kinds(const Model& model, const std::vector<int>& group_of_rank,
                           const std::function<std::string(int rank)>& suffix_of) {
  const PairClasses& classes = *model.classes->pairs;
  std::vector<KindAndGroup> kinds;
  std::vector<PairClasses::Rank> ranks;
  std::map<KindAndGroup, std::int32_t> numbers;
  std::map<std::int32_t, std::set<std::int32_t>> hosts;
  MachineClasses after = *model.classes;
  after.kinds.clear();
  for (int rank = 0; rank < classes.ranks(); ++rank) {
    const KindAndGroup kind{classes.of(rank).kind, group_of_rank[at(rank)]};
    const auto next = static_cast<std::int32_t>(kinds.size());
    const auto [place, is_new] = numbers.try_emplace(kind, next);
    if (is_new) {
      kinds.push_back(kind);
      after.kinds.push_back(model.classes->kinds[at(kind.before)]);
      after.kinds.back().name += suffix_of(rank);
    }
    hosts[place->second].insert(classes.of(rank).group);
    ranks.push_back({place->second, classes.of(rank).group});
  }
  for (const auto& [kind, own] : hosts) after.kinds[at(kind)].hosts = static_cast<int>(own.size());
  after.pairs =
      std::make_shared<const PairClasses>(std::move(ranks), static_cast<int>(kinds.size()));
  return {std::move(after), std::move(kinds)};
}

double share_of_spread(const Model& model, ReplicateKind kind) {
  return kind == ReplicateKind::draws ? 1 / std::sqrt(1.0 + passes_of(model)) : 1;
}

}  // namespace commgauge
