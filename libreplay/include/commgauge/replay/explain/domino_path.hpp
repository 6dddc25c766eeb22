#pragma once

#include <cstdint>
#include <vector>

#include "commgauge/replay/explain/whereabouts.hpp"
#include "commgauge/simulate/world/causes.hpp"

namespace commgauge::replay {

/// From the end of a rank back: the wait without which the run is shortest, on to the partner when
/// it sent the message, and so on as long as that helps (the paper's figure 3). A message that a
/// rank waits for more than once, as by a probe and by a receive, is one wait.
struct DominoPath {
  struct Step {
    Whereabouts where;          ///< who waits
    double at{};                ///< when the wait ends
    simulate::Moment moment{};  ///< the same
    int partner{};              ///< whom it waits for
    /// For what: all of the rank's waits for it are gone. simulate::no_message: others to
    /// meet, or, where it is the partner itself, another of its threads.
    std::uint32_t message{simulate::no_message};
  };
  int rank{};     ///< at whose end it begins
  double time{};  ///< of the run without all of its waits
  std::vector<Step> steps;
};

}  // namespace commgauge::replay
