#include "commgauge/replay/timeline.hpp"

namespace commgauge::replay {

Traffic traffic_of(const Timeline& timeline) {
  const std::size_t n = timeline.ranks.size();
  Traffic traffic{static_cast<int>(n), std::vector<std::uint64_t>(n * n),
                  std::vector<std::uint64_t>(n * n)};
  for (const Timeline::Message& message : timeline.messages) {
    const std::size_t place =
        static_cast<std::size_t>(message.from) * n + static_cast<std::size_t>(message.to);
    traffic.bytes[place] += message.bytes;
    ++traffic.messages[place];
  }
  return traffic;
}

}  // namespace commgauge::replay
