#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "commgauge/replay/explain/whereabouts.hpp"
#include "commgauge/replay/paths/cost_kinds.hpp"

namespace commgauge::replay {

/// A message, as the critical path knows it.
struct PathMessage {
  int from{};
  int to{};
  std::uint64_t bytes{};
  bool operator==(const PathMessage&) const = default;
};

/// What the run's time consists of.
struct CriticalPath {
  /// All that passes at one place for one reason.
  struct Part {
    Whereabouts where;
    CostKind kind{};
    double seconds{};  ///< of all parts together: the run's time
  };
  /// A stretch of it, without what takes no time.
  struct Step {
    int rank{};
    double from{};
    double to{};
    CostKind kind{};  ///< of what most of it is
    std::string call;
    std::optional<PathMessage> message;  ///< that is on its way meanwhile
  };
  std::vector<Part> parts;  ///< most seconds first
  std::vector<Step> steps;  ///< in the order of time, joined where one continues another
  std::size_t left_out{};   ///< steps beyond ExplanationOptions::most_steps
};

}  // namespace commgauge::replay
