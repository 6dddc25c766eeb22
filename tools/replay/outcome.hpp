#pragma once

#include <optional>

#include "commgauge/replay/prediction.hpp"
#include "commgauge/trace/trace.hpp"
#include "machine/topology_options.hpp"

namespace commgauge::tools {

/// A recorded program, and what became of it on the machine of a model, or on a topology.
struct Outcome : replay::Predicted {
  trace::Trace trace;
  std::optional<Model> model;               ///< the machine's
  std::optional<TopologyOptions> topology;  ///< or what the machine is, else
};

}  // namespace commgauge::tools
