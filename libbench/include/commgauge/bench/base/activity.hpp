#pragma once

#include <cstdint>

namespace commgauge::bench {

/// What this process measures, for a signal handler that wonders whether anything goes on.
struct Activity {
  std::uint64_t steps{};     ///< grows while something is done
  const char* experiment{};  ///< "round_trip of rank 0 with rank 3, 64 KiB"; empty: in none
  bool is_asleep{};          ///< others measure, for as long as that takes
  bool is_kept{};            ///< Options::keep has put what was measured where it stays
};

/// Of all measurements of this process, the one under way. Safe in signal handlers, in any thread.
/// The text may change while it is read, unless this rank has stood still for a while.
[[nodiscard]] Activity activity() noexcept;

}  // namespace commgauge::bench
