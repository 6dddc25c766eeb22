#pragma once

#include "commgauge/schedule/choice.hpp"
#include "commgauge/trace/events/trace.hpp"
#include "commgauge/trace/goal/goal.hpp"

namespace commgauge::trace {

/// What the ranks of a trace did, as GOAL: messages, waits, computing between calls (CPU time,
/// where the trace has it), collective operations as messages by the chosen algorithms.
/// docs/goal.md says how.
///
/// @throws InputError  what GOAL can't say, with the rank and its event: synchronous sends, probes
///                     that leave their message, receives of which it isn't known what they got,
///                     communicators made without messages, collectives of intercommunicators,
///                     accesses of other ranks' memory, further threads of a rank.
[[nodiscard]] Goal goal_of(const Trace& trace, const schedule::Choice& choice = {});

}  // namespace commgauge::trace
