#pragma once

#include "commgauge/replay/run/options.hpp"
#include "commgauge/replay/run/result.hpp"
#include "commgauge/trace/events/trace.hpp"

namespace commgauge::replay {

/// The program as if it had been recorded where it was replayed: the same calls, regions, messages
/// and collective operations at the replay's times, in whole nanoseconds, with what each rank
/// computed there as its CPU time. Replayed on the same machine it takes the same time. How often a
/// test was unsuccessful stays as it was recorded.
///
/// @param options  of the replay.
/// @pre the result is of that trace, with its timeline.
/// @throws InputError  receives took what came first (Options::rematches): what they got isn't in
///   the trace.
[[nodiscard]] trace::Trace retimed(trace::Trace trace, const Result& result,
                                   const Options& options);

}  // namespace commgauge::replay
