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

inline trace::Event border(trace::Event::Kind kind, std::uint32_t name, std::int64_t processor) {
  trace::Event event;
  event.kind = kind;
  event.name = name;
  event.time = event.processor = processor;
  return event;
}

/// Rank 0 computes 3 us and sends 100 bytes within the region "phase"; rank 1 receives them.
inline trace::Trace one_message_in_a_region() {
  using enum trace::Event::Kind;
  trace::Trace trace = two_ranks();
  trace::Event message;
  message.kind = send;
  message.peer = 1;
  message.bytes = 100;
  trace.ranks[0].events = {border(region_begin, 2, 1000), border(enter, 0, 3000), message,
                           border(leave, 0, 3000), border(region_end, 2, 3000)};
  message.kind = receive;
  message.peer = message.found_peer = 0;
  message.found_tag = 0;
  message.found_bytes = 100;
  trace.ranks[1].events = {border(enter, 1, 0), message, border(leave, 1, 0)};
  return trace;
}

}  // namespace commgauge::replay
