#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "commgauge/base/diagnostic.hpp"
#include "commgauge/model/model.hpp"
#include "commgauge/replay/run/options.hpp"
#include "commgauge/simulate/machine.hpp"

namespace commgauge::replay {

/// How the time of a recorded program is predicted by a model.
struct PredictionOptions {
  Options replay;
  std::string kind;  ///< which model of the file; empty: the best-ranked that can be emulated
  /// The machine of the model, or of it with other parameters, of this kind, with more ranks or as
  /// many as the trace has. Empty:
  /// simulate::machine_of().
  std::function<simulate::Machine(const Model& model, const std::string& kind)> machine_of;
  bool has_interval{true};          ///< else one replay, and the interval's ends are NaN
  std::vector<Diagnostic> assumed;  ///< in making the model: first of the notes
  bool knows_speeds{};              ///< machine_of() sets time_ratios by what somebody said
  /// Is told after each replay how many there were, of how many; 0: nobody knows. What it throws
  /// ends the prediction.
  std::function<void(std::size_t done, std::size_t all)> progress;
};

}  // namespace commgauge::replay
