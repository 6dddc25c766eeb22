#pragma once

#include <cstdint>
#include <vector>

#include "commgauge/trace/events/trace.hpp"

namespace commgauge::trace {

/// What one thread of a rank started and another one found over, received (a probe's message) or
/// cancelled. Numbers are of Rank::events.
struct Crossing {
  std::uint32_t end{};
  std::uint32_t start{};
  std::uint32_t entry{no_entry};  ///< of Rank::requests; none: the event has no list
};

/// In the order of their ends; of a rank with one thread none. What events end that their own
/// thread hasn't started are the last of that number that no thread which started them ended, in
/// the order of Event::time. O(events) where there are further threads, else O(1).
[[nodiscard]] std::vector<Crossing> crossings(const Rank& rank);

}  // namespace commgauge::trace
