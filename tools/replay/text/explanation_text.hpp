#pragma once

#include <string>

#include "commgauge/replay/explain/explanation.hpp"
#include "replay/outcome/outcome.hpp"

namespace commgauge::tools {

/// What to do first; then where the time goes, how even computing is, domino paths, upper bounds.
[[nodiscard]] std::string explanation_text(const Outcome& outcome,
                                           const replay::Explanation& explanation);

}  // namespace commgauge::tools
