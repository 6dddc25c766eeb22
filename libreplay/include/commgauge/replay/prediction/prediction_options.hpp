#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "commgauge/base/diagnostic.hpp"
#include "commgauge/replay/run/options.hpp"
#include "commgauge/simulate/machine/wanted_machine.hpp"

namespace commgauge::replay {

/// How the time of a recorded program is predicted by a model.
struct PredictionOptions {
  Options replay;
  simulate::WantedMachine machine;  ///< of a model that is model_for() it
  bool has_interval{true};          ///< else one replay, and the interval's ends are NaN
  std::vector<Diagnostic> assumed;  ///< in making the model: first of the notes
  /// Is told after each replay how many there were, of how many; 0: nobody knows. What it throws
  /// ends the prediction.
  std::function<void(std::size_t done, std::size_t all)> progress;
};

}  // namespace commgauge::replay
