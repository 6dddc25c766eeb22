#pragma once

#include <string>
#include <vector>

#include "commgauge/trace/events/trace.hpp"
#include "read/remarks.hpp"
#include "read/unknown.hpp"

namespace commgauge::trace {

/// Other programs' communicators with a number of their own at each rank become one.
void merge_communicators(Trace& trace, std::vector<Unknown>& unknown, Remarks& remarks);

/// Other programs' collective operations: what each rank gives, from all ranks' bytes.
/// @param is_score_p  bytes are counted once for each partner, else each rank's own
/// @throws InputError  ranks of a communicator don't call the same
void complete_collectives(Trace& trace, const std::vector<Unknown>& unknown, bool is_score_p,
                          Remarks& remarks);

/// Receives without a completion take the messages that no receive got, if there are as many.
/// @throws InputError  there aren't
void complete_receives(Trace& trace, const std::vector<Unknown>& unknown, Remarks& remarks);

/// Counts messages that arrive before they were sent. What the trace itself says of that is of its
/// former times, and goes.
void note_clocks(Trace& trace, Remarks& remarks);

}  // namespace commgauge::trace
