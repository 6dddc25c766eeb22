#pragma once

#include <string>

#include "replay/outcome/outcome.hpp"

namespace commgauge::tools {

/// The replayed run in the format of Paje, which ViTE and pj_dump read: a container for each rank,
/// what it does and its calls and regions as states, messages as links. In the order of time [s].
/// @pre the result has its timeline.
[[nodiscard]] std::string paje_text(const Outcome& outcome);

}  // namespace commgauge::tools
