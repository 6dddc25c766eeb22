#pragma once

#include <cstddef>
#include <cstdint>

#include "commgauge/trace/events/crossings.hpp"
#include "commgauge/trace/events/trace.hpp"

namespace commgauge::trace {

/// Calls `what(request, entry)` for each that the event finds over, receives or cancels; `entry`:
/// of Rank::requests, or none.
template <typename What>
void each_end(const Rank& rank, const Event& event, const What& what) {
  using enum Event::Kind;
  switch (event.kind) {
    case wait:
    case poll:
    case flush:
      for (std::uint32_t i = 0; i < event.count; ++i) {
        what(rank.requests.at(std::size_t{event.list} + i), event.list + i);
      }
      return;
    case cancel:
      return what(event.request, Crossing::no_entry);
    case matched_receive:
      return what(event.list, Crossing::no_entry);
    default:
      return;
  }
}

[[nodiscard]] inline bool gives_up(const Event& event) { return event.kind == Event::Kind::free; }

[[nodiscard]] inline bool starts(const Event& event) {
  using enum Event::Kind;
  switch (event.kind) {
    case cancel:
    case free:
    case prepare_send:
    case prepare_receive:
    case ready:
    case arrived:
      return false;
    default:
      return event.request != no_request;
  }
}

}  // namespace commgauge::trace
