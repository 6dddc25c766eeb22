#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "commgauge/costs/curve.hpp"

namespace commgauge::simulate {

/// Links that the messages of all ranks share. A message has one route from a processor to another,
/// and keeps the links of it in turn; each link serves messages in the order in which they come.
struct Network {
  int processors{};
  std::vector<std::int32_t> links;   ///< processors × processors, row by row: which link to take
  std::vector<std::int32_t> ends;    ///< by link: the processor that it leads to
  std::vector<std::int32_t> places;  ///< by rank: its processor
  Curve keeps;                       ///< for how long a message keeps a link; above 0 [s]
  Curve leads;  ///< when it comes to the next one, from when it has this; above 0 [s]

  /// Whether there are any: else messages of different pairs never meet.
  [[nodiscard]] bool is_shared() const { return !ends.empty(); }
  /// Of a message that is at one processor and goes to another.
  [[nodiscard]] std::int32_t next_link(int at, int to) const {
    return links[static_cast<std::size_t>(at) * static_cast<std::size_t>(processors) +
                 static_cast<std::size_t>(to)];
  }

  /// Calls visit(part) for each of its data. `N` may be const.
  template <class N, class Visit>
  static void visit_parts(N& network, Visit&& visit) {
    visit(network.processors);
    visit(network.links);
    visit(network.ends);
    visit(network.places);
    visit(network.keeps);
    visit(network.leads);
  }
};

}  // namespace commgauge::simulate
