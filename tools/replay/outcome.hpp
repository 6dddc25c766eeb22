#pragma once

#include "commgauge/replay/prediction.hpp"
#include "commgauge/trace/trace.hpp"

namespace commgauge::tools {

/// A recorded program, and what became of it on the machine of a model.
struct Outcome : replay::Predicted {
  trace::Trace trace;
  double confidence{};  ///< of the interval
};

}  // namespace commgauge::tools
