#pragma once

#include "campaign/harness.hpp"

namespace commgauge::bench {

/// Whether disjoint groups measure at the same time, and what was seen of it.
struct ScheduleChoice {
  bool serial{};
  Contention contention;
};

/// The schedule that is asked for. An automatic one, with four ranks or more, is parallel unless
/// round trips of disjoint pairs take longer together than alone. Collective.
/// @param bulk  the size of these round trips; empty ones are timed, too.
[[nodiscard]] ScheduleChoice choose_schedule(Harness& harness, Bytes bulk);

}  // namespace commgauge::bench
