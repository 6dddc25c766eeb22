#pragma once

#include <string>
#include <vector>

#include "commgauge/replay/run/spans.hpp"
#include "replay/outcome/outcome.hpp"

namespace commgauge::tools {

/// What happened, as Numbers in base64; times are whole nanoseconds.
///
/// - For each rank, its stretches: their number, the first one's beginning, and of each
///   8 × duration + Doing.
/// - For each rank, its first thread's calls and regions: the number of depths, and for each depth
///   their number,
///   and of each the time since the one before of that depth ended (or since 0), its duration,
///   2 × name + (1 for a region).
/// - Messages in the order of their being received: their number, and of each the time since the
///   one before was received (or since 0), received − sent, from, to, bytes.
/// - The communication matrix: the number of pairs, and of each from, to, messages, bytes.
///
/// @pre the result has its timeline and traffic.
[[nodiscard]] std::string page_events(const Outcome& outcome);

/// Of one rank's first thread, as they are written. @param spans  of the rank
[[nodiscard]] std::vector<std::vector<replay::Span>> by_depth(
    const std::vector<replay::Span>& spans);

}  // namespace commgauge::tools
