#include "commgauge/replay/run/retimed.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <span>

#include "commgauge/base/error.hpp"
#include "run/marked.hpp"

namespace commgauge::replay {

namespace {

using trace::Event;

std::int64_t nanoseconds(double seconds) { return std::llround(seconds * 1e9); }

/// Whether it is over when its call ends; else it only begins there.
bool completes(const Event& one) {
  using namespace trace::event;
  if (one.is<Receive, MatchedReceive, Collective>()) {
    return request_in(one) == trace::no_request;
  }
  return !one.is<Send, Access, Release, PrepareSend, PrepareReceive, Start, Ready>();
}

void set_processor(Event& marked, std::int64_t processor) {
  std::visit(
      [processor](auto& what) {
        if constexpr (requires { what.processor; }) what.processor = processor;
      },
      marked.what);
}

/// Of a thread. Calls and regions are at their marks, what completes at its call's end, and what
/// begins at the time of the event before, which is what 0 means to a writer.
void set_times(std::span<Event> events, std::span<const Mark> marks) {
  auto mark = marks.rbegin();
  std::int64_t end = 0;
  for (auto event = events.rbegin(); event != events.rend(); ++event) {
    if (is_marked(*event)) {
      event->time = nanoseconds(mark->time);
      set_processor(*event, nanoseconds(mark->computing));
      end = ends(*event) ? event->time : 0;
      ++mark;
    } else {
      event->time = completes(*event) ? end : 0;
    }
  }
}

/// Threads begin where they are started, as far as that is known.
void set_beginnings(trace::Rank& rank) {
  std::map<std::uint32_t, std::int64_t> started;
  for (const Event& event : rank.events) {
    const auto* const start = event.as<trace::event::ThreadStart>();
    if (start != nullptr) started[start->number] = event.time;
  }
  for (const std::uint32_t first : rank.further_threads) {
    Event& begin = rank.events[first];
    const auto* const thread = begin.as<trace::event::ThreadBegin>();
    const auto found = started.find(thread != nullptr ? thread->number : 0);
    if (found != started.end()) begin.time = found->second;
  }
}

void set_times(trace::Rank& rank, const std::vector<Mark>& marks) {
  for_each_thread(rank, marks, [&](std::size_t, auto events, auto own) {
    const auto from = static_cast<std::size_t>(events.data() - rank.events.data());
    set_times(std::span{rank.events}.subspan(from, events.size()), own);
  });
  set_beginnings(rank);
}

void leave_out_clock_reads(trace::Rank& rank) {
  const auto is_read = [](const Event& event) { return event.is<trace::event::ClockReads>(); };
  for (std::uint32_t& first : rank.further_threads) {
    first -= static_cast<std::uint32_t>(
        std::count_if(rank.events.begin(), rank.events.begin() + first, is_read));
  }
  std::erase_if(rank.events, is_read);
}

}  // namespace

trace::Trace retimed(trace::Trace trace, const Result& result, const Options& options) {
  if (options.rematches) {
    throw InputError(
        "a trace of a replay with --rematch (its receives got something else than the recorded "
        "ones): leave --rematch out");
  }
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    set_times(trace.ranks[r], result.marks[r]);
    // What they took is part of the computing.
    if (options.computes && !trace.is_virtual) leave_out_clock_reads(trace.ranks[r]);
  }
  trace.has_processor_time = true;
  trace.is_virtual = true;
  return trace;
}

}  // namespace commgauge::replay
