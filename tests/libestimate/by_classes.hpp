#pragma once

#include <memory>
#include <string>
#include <vector>

#include "commgauge/model/classed.hpp"
#include "samples.hpp"

namespace commgauge::samples {

/// Hosts of two kinds in turn, first one of kind 0; ranks count host by host.
inline MachineClasses two_kinds(int hosts, int per_host) {
  std::vector<PairClasses::Rank> ranks;
  for (int host = 0; host < hosts; ++host) {
    ranks.insert(ranks.end(), static_cast<std::size_t>(per_host), {host % 2, host});
  }
  constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
  return {std::make_shared<const PairClasses>(std::move(ranks), 2),
          {{"a", (hosts + 1) / 2, 0.03, 0.125}, {"b", hosts / 2, nothing, nothing}},
          {{Deviation::Where::host, {"n1"}, {1.01, 0.98, 1.04}, {2, 1.9, 2.1}},
           {Deviation::Where::between_hosts, {"n0", "n1"}, {3, nothing, nothing}, {1, 1, 1}}},
          {},
          "placement and measurements"};
}

inline std::vector<RankPlace> places(int hosts, int per_host) {
  std::vector<RankPlace> all;
  for (int host = 0; host < hosts; ++host) {
    for (int r = 0; r < per_host; ++r) all.push_back({"n" + std::to_string(host), {r}});
  }
  return all;
}

/// Every model, by classes.
inline Model by_classes(int hosts, int per_host) {
  const Model small = pooled(model(8), two_kinds(4, 2));
  return laid_out(small, two_kinds(hosts, per_host), places(hosts, per_host));
}

}  // namespace commgauge::samples
