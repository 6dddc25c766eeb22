#include "recorder/clocks.hpp"

#include <algorithm>
#include <limits>

namespace commgauge::record {

Moment Clocks::least_gap() {
  if (emulation()) return {};
  constexpr int turns = 200;
  Moment least{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::max()};
  for (int turn = 0; turn < turns; ++turn) {
    const Moment before = at_leave(at_return());
    const Moment after = at_enter();
    least = {std::min(least.time, after.time - before.time),
             std::min(least.cpu, after.cpu - before.cpu)};
  }
  return least;
}

}  // namespace commgauge::record
