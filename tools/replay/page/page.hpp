#pragma once

#include <string>

#include "replay/outcome/outcome.hpp"
#include "replay/page/page_explanation.hpp"

namespace commgauge::tools {

/// One HTML file that needs no network: the time, the ranks, the communication matrix, and the
/// timeline, which can be zoomed down to a single message.
///
/// @param explained  what would help: what to do first, the critical path in the timeline, and of
///                   some answers the run before and after; none: the run alone
/// @pre the result has its timeline and traffic.
[[nodiscard]] std::string page_text(const Outcome& outcome,
                                    const PageExplanation* explained = nullptr);

}  // namespace commgauge::tools
