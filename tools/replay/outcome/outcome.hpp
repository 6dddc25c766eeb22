#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "commgauge/replay/prediction/prediction.hpp"
#include "commgauge/trace/events/trace.hpp"
#include "machine/topology_options.hpp"

namespace commgauge::tools {

/// A recorded program, and what became of it on the machine of a model, or on a topology.
struct Outcome : replay::Predicted {
  trace::Trace trace;
  std::optional<Model> model;               ///< the machine's
  std::optional<TopologyOptions> topology;  ///< or what the machine is, else
};

/// "3", "3.1": a rank, or a further thread of it.
[[nodiscard]] inline std::string name_of_thread(std::size_t rank, std::size_t thread) {
  return std::to_string(rank) + (thread == 0 ? "" : "." + std::to_string(thread));
}

}  // namespace commgauge::tools
