#pragma once

#include <string>

#include "replay/outcome/outcome.hpp"

namespace commgauge::tools {

/// The replayed run as Chrome trace events (JSON), which Perfetto reads: a thread for each rank,
/// slices for the rank itself, its calls and regions, arrows for messages. Times are whole
/// nanoseconds.
///
/// An arrow ends a nanosecond before the receiver had the message: where the call ends at that
/// moment, Perfetto would find none for it.
/// @pre the result has its timeline.
[[nodiscard]] std::string trace_event_text(const Outcome& outcome);

}  // namespace commgauge::tools
