#pragma once

#include <string>

#include "outcome.hpp"

namespace commgauge::tools {

/// One HTML file that needs no network: the time, the ranks, the communication matrix, and the
/// timeline, which can be zoomed down to a single message.
///
/// @pre the result has its timeline and traffic.
[[nodiscard]] std::string page_text(const Outcome& outcome);

}  // namespace commgauge::tools
