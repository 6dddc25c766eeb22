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

inline Event event_of(Event::Kind kind, std::uint32_t list = 0, std::uint32_t count = 0) {
  Event event;
  event.kind = kind;
  event.list = list;
  event.count = count;
  return event;
}
inline Event begins(std::uint32_t number) { return event_of(Event::Kind::thread_begin, number); }
inline Event ends(std::uint32_t number) { return event_of(Event::Kind::thread_end, number); }
inline Event starts(std::uint32_t number) { return event_of(Event::Kind::thread_start, number); }
inline Event release(std::uint32_t object) { return event_of(Event::Kind::release, object); }
inline Event acquire(std::uint32_t object, std::uint32_t count) {
  return event_of(Event::Kind::acquire, object, count);
}
/// A call of MPI_Send or MPI_Recv, but for its beginning and end.
inline Event message(Event::Kind kind, int peer, int tag, std::uint64_t bytes) {
  Event event = event_of(kind);
  event.peer = peer;
  event.tag = tag;
  event.bytes = event.found_bytes = bytes;
  return event;
}

inline constexpr std::uint32_t call = 0;
inline constexpr std::uint32_t call_of_mpi = 1;
inline constexpr std::uint32_t finalize = 2;

inline Event at(Event::Kind kind, std::uint32_t name, double processor = 0) {
  Event event = event_of(kind);
  event.name = name;
  event.processor = static_cast<std::int64_t>(processor * 1e9);
  return event;
}
/// What is called when the thread has had so much of its processor [s].
inline Events in_call(double processor, const Events& what, std::uint32_t name = call) {
  Events all{at(Event::Kind::enter, name, processor)};
  all.insert(all.end(), what.begin(), what.end());
  all.push_back(at(Event::Kind::leave, name, processor));
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
