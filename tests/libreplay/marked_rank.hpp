#pragma once

#include <vector>

#include "commgauge/trace/events/trace.hpp"

namespace commgauge::replay {

/// Two ranks of one communicator that do nothing yet. Names: 0 MPI_Send, 1 MPI_Recv, 2 "phase".
inline trace::Trace two_ranks() {
  trace::Trace trace;
  trace.has_processor_time = true;
  trace.names = {"MPI_Send", "MPI_Recv", "phase"};
  trace.communicators.push_back({"MPI_COMM_WORLD", {0, 1}, {}});
  trace.ranks.resize(2);
  return trace;
}

/// @param processor  CPU time that the rank has had by then, and the event's time
template <class Kind>
trace::Event border(std::uint32_t name, std::int64_t processor) {
  Kind what{};
  what.name = name;
  what.processor = processor;
  return {what, processor};
}

/// Rank 0 computes 3 us and sends 100 bytes within the region "phase"; rank 1 receives them.
inline trace::Trace one_message_in_a_region() {
  using namespace trace::event;
  trace::Trace trace = two_ranks();
  trace.ranks[0].events = {border<RegionBegin>(2, 1000), border<Enter>(0, 3000),
                           Send{.peer = 1, .bytes = 100}, border<Leave>(0, 3000),
                           border<RegionEnd>(2, 3000)};
  trace.ranks[1].events = {border<Enter>(1, 0),
                           Receive{.peer = 0, .bytes = 100, .found = {0, 0, 100}},
                           border<Leave>(1, 0)};
  return trace;
}

}  // namespace commgauge::replay
