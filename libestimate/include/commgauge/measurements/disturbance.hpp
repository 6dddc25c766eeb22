#pragma once

#include <string>

namespace commgauge {

/// How much of a launch other programs, or a hypervisor, took.
struct Disturbance {
  /// Why losses could not be told, continuing `losses of cores were not watched: `; empty: they
  /// were.
  std::string not_watched;
  long blocks{};          ///< timed for the rows
  long lost_blocks{};     ///< of these, that lost their core
  long rows{};            ///< observations
  long disturbed_rows{};  ///< that rest on lost blocks: repeating did not help
  /// Rows that stood out among those of the other passes and were measured again at the end.
  long remeasured_rows{};
  double stolen_share{};  ///< of the cores' time, by the hypervisor's own account

  [[nodiscard]] double lost_share() const;
  bool operator==(const Disturbance&) const = default;
};

}  // namespace commgauge
