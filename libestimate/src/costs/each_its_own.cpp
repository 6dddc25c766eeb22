#include "costs/each_its_own.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "commgauge/base/index.hpp"
#include "commgauge/base/places.hpp"
#include "commgauge/base/unknown_value.hpp"

namespace commgauge {

MachineClasses each_its_own(const Model& dense) {
  MachineClasses classes{nullptr, {}, {}, {}, found_each_rank};
  const std::vector<std::string> hosts = dense.hosts();
  std::vector<PairClasses::Rank> ranks;
  for (const int group : numbered(hosts)) {
    const auto rank = static_cast<std::int32_t>(ranks.size());
    ranks.push_back({rank, group});
    classes.kinds.push_back(
        {hosts[at(rank)] + ", rank " + std::to_string(rank), 1, unknown_value, unknown_value});
  }
  classes.pairs = std::make_shared<const PairClasses>(std::move(ranks), dense.ranks);
  return classes;
}

}  // namespace commgauge
