#pragma once

#include <optional>
#include <string>
#include <vector>

#include "commgauge/base/units.hpp"

namespace commgauge::bench {

/// What a measurement would do, without doing it.
struct PlanSummary {
  long experiments{};  ///< of one pass
  long rounds{};       ///< of one pass
  long lower_bound_rounds{};
  int passes{};
  int sampled{};     ///< ranks that are measured in place of all; 0: all are
  Seconds expected;  ///< from a short pilot; of all passes
  std::vector<Bytes> sizes;
  Bytes one_to_two_size;
  std::optional<Bytes> eager_limit;
  /// Of links that hosts share; a size of 0: they aren't looked for.
  Bytes fabric_size;
  Seconds fabric_expected;  ///< included above; where it is left out, what it would take
  bool fabric_fits{};       ///< within its part of the time budget
  /// Of what pairs within hosts share, where a sample is measured; not in what is expected. 0: that
  /// isn't measured, or among the experiments.
  Seconds memory_at_most;
  std::string schedule;
  std::string wait;
};

}  // namespace commgauge::bench
