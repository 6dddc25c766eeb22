#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "commgauge/replay/run/result.hpp"
#include "commgauge/trace/events/trace.hpp"

namespace commgauge::replay {

[[nodiscard]] inline bool begins(const trace::Event& event) {
  return event.is<trace::event::Enter, trace::event::RegionBegin>();
}

[[nodiscard]] inline bool ends(const trace::Event& event) {
  return event.is<trace::event::Leave, trace::event::RegionEnd>();
}

/// Whether Result::marks has a time for it.
[[nodiscard]] inline bool is_marked(const trace::Event& event) {
  return begins(event) || ends(event);
}

/// Calls each(thread, its events, its marks). @param marks  of the rank
template <class Each>
void for_each_thread(const trace::Rank& rank, std::span<const Mark> marks, const Each& each) {
  for (std::size_t thread = 0; thread <= rank.further_threads.size(); ++thread) {
    const auto events = events_of(rank, thread);
    const auto own = marks.first(std::min<std::size_t>(
        marks.size(), static_cast<std::size_t>(std::ranges::count_if(events, is_marked))));
    marks = marks.subspan(own.size());
    each(thread, events, own);
  }
}

}  // namespace commgauge::replay
