#include "commgauge/replay/retimed.hpp"

#include <cmath>
#include <cstddef>

#include "commgauge/base/error.hpp"
#include "marked.hpp"

namespace commgauge::replay {

namespace {

using trace::Event;

std::int64_t nanoseconds(double seconds) { return std::llround(seconds * 1e9); }

/// Whether it is over when its call ends; else it only begins there.
bool completes(const Event& event) {
  switch (event.kind) {
    case Event::Kind::send:
    case Event::Kind::access:
    case Event::Kind::prepare_send:
    case Event::Kind::prepare_receive:
    case Event::Kind::start:
    case Event::Kind::ready:
      return false;
    case Event::Kind::receive:
    case Event::Kind::matched_receive:
    case Event::Kind::collective:
      return event.request == trace::no_request;
    default:
      return true;
  }
}

/// Calls and regions are at their marks, what completes at its call's end, and what begins at the
/// time of the event before, which is what 0 means to a writer.
void set_times(std::vector<Event>& events, const std::vector<Mark>& marks) {
  auto mark = marks.rbegin();
  std::int64_t end = 0;
  for (auto event = events.rbegin(); event != events.rend(); ++event) {
    if (is_marked(*event)) {
      event->time = nanoseconds(mark->time);
      event->processor = nanoseconds(mark->computing);
      end = ends(*event) ? event->time : 0;
      ++mark;
    } else {
      event->time = completes(*event) ? end : 0;
    }
  }
}

}  // namespace

trace::Trace retimed(trace::Trace trace, const Result& result, const Options& options) {
  if (options.rematches) {
    throw InputError(
        "a trace of a replay with --rematch (its receives got something else than the recorded "
        "ones): leave --rematch out");
  }
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    auto& events = trace.ranks[r].events;
    set_times(events, result.marks[r]);
    // What they took is part of the computing.
    const bool has_computed_reads = options.computes && !trace.is_virtual;
    std::erase_if(events, [&](const Event& event) {
      return has_computed_reads && event.kind == Event::Kind::clock_reads;
    });
  }
  trace.has_processor_time = true;
  trace.is_virtual = true;
  return trace;
}

}  // namespace commgauge::replay
