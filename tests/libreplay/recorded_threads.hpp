#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "commgauge/trace/events/trace.hpp"
#include "made_machine.hpp"
#include "recorded_program.hpp"

/// Ranks of several threads, event by event.
namespace commgauge::replay::threads {

using trace::Event;
using Events = std::vector<Event>;

inline Event begins(std::uint32_t number) { return trace::event::ThreadBegin{number}; }
inline Event ends(std::uint32_t number) { return trace::event::ThreadEnd{number}; }
inline Event starts(std::uint32_t number) { return trace::event::ThreadStart{number}; }
inline Event release(std::uint32_t object) { return trace::event::Release{object}; }
inline Event acquire(std::uint32_t object, std::uint32_t count) {
  return trace::event::Acquire{object, count};
}
/// A call of MPI_Send, but for its beginning and end.
inline Event send(int peer, int tag, std::uint64_t bytes) {
  return trace::event::Send{.peer = peer, .tag = tag, .bytes = bytes};
}
/// Likewise of MPI_Recv.
inline Event receive(int peer, int tag, std::uint64_t bytes) {
  return trace::event::Receive{.peer = peer, .tag = tag, .bytes = bytes, .found = {.bytes = bytes}};
}
/// For the first request of the rank's list.
inline Event wait_for_first() { return trace::event::Wait{.list = 0, .count = 1}; }

inline constexpr std::uint32_t call = 0;
inline constexpr std::uint32_t call_of_mpi = 1;
inline constexpr std::uint32_t finalize = 2;

template <class Kind>
Event at(std::uint32_t name, double processor = 0) {
  Kind what{};
  what.name = name;
  what.processor = static_cast<std::int64_t>(processor * 1e9);
  return what;
}
/// What is called when the thread has had so much of its processor [s].
inline Events in_call(double processor, const Events& what, std::uint32_t name = call) {
  Events all{at<trace::event::Enter>(name, processor)};
  all.insert(all.end(), what.begin(), what.end());
  all.push_back(at<trace::event::Leave>(name, processor));
  return all;
}
inline Events together(const std::vector<Events>& parts) {
  Events all;
  for (const Events& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

/// By rank and thread.
inline trace::Trace trace_of_threads(const std::vector<std::vector<Events>>& ranks) {
  trace::Trace trace = trace_of(static_cast<int>(ranks.size()));
  trace.names = {"pthread_join", "MPI_Send", "MPI_Finalize"};
  trace.has_processor_time = true;
  trace.is_virtual = true;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    trace::Rank& rank = trace.ranks[r];
    for (std::size_t thread = 0; thread < ranks[r].size(); ++thread) {
      if (thread > 0) {
        rank.further_threads.push_back(static_cast<std::uint32_t>(rank.events.size()));
      }
      rank.events.insert(rank.events.end(), ranks[r][thread].begin(), ranks[r][thread].end());
    }
  }
  return trace;
}

inline simulate::Machine machine(int ranks) {
  return simulate::machine_of(simulate::hockney_model(ranks), "hockney");
}

}  // namespace commgauge::replay::threads
