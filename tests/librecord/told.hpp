#pragma once

#include <string>
#include <vector>

#include "commgauge/trace/events/trace.hpp"

/// What a rank of a trace did, in words that a test can compare.
namespace commgauge::record {

/// A line for each call, with what the trace tells of it: "MPI_Recv: receive 64 from 1 tag 3, got
/// 10 from 1 tag 3". What stands between calls has lines of its own. Of MPI_COMM_WORLD it isn't
/// said, of another communicator it is by its name or its members. Times and numbers of
/// unsuccessful attempts, which differ from run to run, are left out.
/// @param thread  from 0, the first
[[nodiscard]] std::vector<std::string> told(const trace::Trace& trace, std::size_t rank,
                                            std::size_t thread = 0);

/// The same of a call alone: each time that it was called.
[[nodiscard]] std::vector<std::string> told_of(const std::string& call, const trace::Trace& trace,
                                               std::size_t rank);

/// The trace of a subject, as ctest's fixtures have recorded it before (CMakeLists.txt).
[[nodiscard]] const trace::Trace& recorded(const std::string& subject);

}  // namespace commgauge::record
