#pragma once

#include <cstddef>
#include <cstdint>

#include "commgauge/trace/events/trace.hpp"

namespace commgauge::trace {

/// Calls `what(request, entry)` for each that the event finds over, receives or cancels; `entry`:
/// of Rank::requests, or none.
template <typename What>
void each_end(const Rank& rank, const Event& one, const What& what) {
  const auto of_list = [&](const auto& wait) {
    for (std::uint32_t i = 0; i < wait.count; ++i) {
      what(rank.requests.at(std::size_t{wait.list} + i), wait.list + i);
    }
  };
  std::visit(Handlers{
                 [&](const event::Wait& wait) { of_list(wait); },
                 [&](const event::Poll& poll) { of_list(poll); },
                 [&](const event::Flush& flush) { of_list(flush); },
                 [&](const event::Cancel& cancel) { what(cancel.request, no_entry); },
                 [&](const event::MatchedReceive& got) { what(got.message, no_entry); },
                 [](const auto&) {},
             },
             one.what);
}

/// The request that the event starts; no_request: none.
[[nodiscard]] inline std::uint32_t started_by(const Event& one) {
  using namespace event;
  const bool starts =
      one.is<Send, Receive, MatchedProbe, MatchedReceive, event::Collective, Access, Start>();
  return starts ? request_in(one) : no_request;
}

}  // namespace commgauge::trace
