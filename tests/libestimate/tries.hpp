#pragma once

#include <cstdlib>

namespace commgauge::testing {

/// How often a test of chance tries: `all` where COMMGAUGE_FULL_TESTS is set, as `scripts/accept
/// suites` does, else `sample`, the first of the same seeds; unoptimised `few`: that it works,
/// hardly how well.
[[nodiscard]] inline int tries([[maybe_unused]] int all, [[maybe_unused]] int sample,
                               [[maybe_unused]] int few) {
#ifdef NDEBUG
  return std::getenv("COMMGAUGE_FULL_TESTS") != nullptr ? all : sample;
#else
  return few;
#endif
}

/// From one size to the next, where a test takes all sizes: unoptimised each 19th.
inline constexpr int to_the_next_size =
#ifdef NDEBUG
    1;
#else
    19;
#endif

}  // namespace commgauge::testing
