#pragma once

#include <cstdint>

namespace commgauge::bench {

/// What this process measures, for a signal handler that wonders whether anything goes on.
struct Activity {
  std::uint64_t steps{};  ///< grows while something is done
  const char*
      experiment{};  ///< "round_trip of rank 0 with rank 3, 64 KiB"; empty: between two of them
  bool is_kept{};    ///< Options::keep was given what has been measured so far
};

/// Of all measurements of this process, the one under way. Safe in signal handlers of the thread
/// that measures.
[[nodiscard]] Activity activity() noexcept;

}  // namespace commgauge::bench
