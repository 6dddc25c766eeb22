#pragma once

#include "commgauge/trace/trace.hpp"

namespace commgauge::replay {

[[nodiscard]] inline bool begins(const trace::Event& event) {
  return event.kind == trace::Event::Kind::enter || event.kind == trace::Event::Kind::region_begin;
}

[[nodiscard]] inline bool ends(const trace::Event& event) {
  return event.kind == trace::Event::Kind::leave || event.kind == trace::Event::Kind::region_end;
}

/// Whether Result::marks has a time for it.
[[nodiscard]] inline bool is_marked(const trace::Event& event) {
  return begins(event) || ends(event);
}

}  // namespace commgauge::replay
