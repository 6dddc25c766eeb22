#pragma once

#include <cstdlib>

namespace commgauge::testing {

/// How often a test of chance tries: `all` where COMMGAUGE_FULL_TESTS is set, as `scripts/test
/// --full` does, else `sample`, the first of the same seeds; unoptimised `few`: that it works,
/// hardly how well.
[[nodiscard]] inline int tries([[maybe_unused]] int all, [[maybe_unused]] int sample,
                               [[maybe_unused]] int few) {
#ifdef NDEBUG
  return std::getenv("COMMGAUGE_FULL_TESTS") != nullptr ? all : sample;
#else
  return few;
#endif
}

}  // namespace commgauge::testing
