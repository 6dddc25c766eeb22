#pragma once

#include <string>
#include <vector>

#include "commgauge/base/diagnostic.hpp"
#include "commgauge/measurements/measurements.hpp"

namespace commgauge {

/// A sweep, and the launches whose repetitions it has.
struct JoinedSweep {
  Sweep sweep;
  std::vector<int> launches;
  std::vector<int> ends;  ///< the pass after the last of each launch
};

/// Sweeps of one kind, root and timing as one, the passes of each launch behind those of the one
/// before. @param warnings  what it does to the intervals is added here.
[[nodiscard]] std::vector<JoinedSweep> join_launches(const Measurements& measurements,
                                                     std::vector<Diagnostic>& warnings);

/// What a sweep's launch says of how its sweeps were timed; empty where it doesn't.
[[nodiscard]] std::string timing_of(const std::vector<Launch>& launches, const Sweep& sweep);

}  // namespace commgauge
