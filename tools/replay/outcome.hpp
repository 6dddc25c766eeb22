#pragma once

#include <optional>

#include "commgauge/replay/prediction.hpp"
#include "commgauge/trace/trace.hpp"
#include "machine/topology_options.hpp"

namespace commgauge::tools {

/// A recorded program, and what became of it on the machine of a model, or on a topology.
struct Outcome : replay::Predicted {
  trace::Trace trace;
  double confidence{};                      ///< of the interval, if the machine is a model's
  std::optional<TopologyOptions> topology;  ///< the machine, else
};

}  // namespace commgauge::tools
