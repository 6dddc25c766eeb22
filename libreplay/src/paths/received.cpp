#include "paths/received.hpp"

#include <cstddef>
#include <set>
#include <vector>

#include "commgauge/trace/events/crossings.hpp"

namespace commgauge::replay {

using simulate::Causes;
using trace::Event;

namespace {

bool may_have_got(const Event& event, const Causes::Message& message) {
  const auto* const receive = event.as<trace::event::Receive>();
  return receive != nullptr && receive->found.peer == message.from &&
         receive->found.bytes == message.bytes &&
         static_cast<int>(2 * receive->context) == message.context;
}

/// Where the sends and receives begin that a wait finds over: its thread's from the last to the
/// first, then others'.
std::vector<std::uint32_t> starts_of(const trace::Rank& rank, std::uint32_t wait) {
  const auto& waited = std::get<trace::event::Wait>(rank.events[wait].what);
  const auto first = rank.requests.begin() + waited.list;
  std::set<std::uint32_t> open(first, first + waited.count);
  std::vector<std::uint32_t> starts;
  std::vector<std::uint32_t> of_others;
  if (!rank.further_threads.empty()) {
    for (const trace::Crossing& one : crossings(rank)) {
      if (one.end != wait) continue;
      of_others.push_back(one.start);
      open.erase(request_in(rank.events[one.start]));
    }
  }
  for (std::uint32_t place = wait; place-- > 0 && !open.empty();) {
    const Event& started = rank.events[place];
    using namespace trace::event;
    if (started.is<ThreadBegin>()) break;
    const bool starts_message = started.is<Receive, Send, Start>();
    if (starts_message && open.erase(request_in(started)) > 0) starts.push_back(place);
  }
  starts.insert(starts.end(), of_others.begin(), of_others.end());
  return starts;
}

}  // namespace

std::optional<Unawaited> receive_of(const trace::Trace& trace, const Causes& causes,
                                    const Wait& wait) {
  if (wait.why != simulate::Why::waiting || wait.message == simulate::no_message) {
    return std::nullopt;
  }
  const Causes::Message& message = causes.messages()[wait.message];
  const trace::Rank& rank = trace.ranks[static_cast<std::size_t>(wait.rank)];
  if (wait.place >= rank.events.size()) return std::nullopt;
  const auto found = [&](std::uint32_t event) {
    return Unawaited{wait.rank, event, message.is_rendezvous};
  };
  const Event& event = rank.events[wait.place];
  if (event.is<trace::event::Receive>()) {
    return may_have_got(event, message) ? std::optional(found(wait.place)) : std::nullopt;
  }
  if (!event.is<trace::event::Wait>()) return std::nullopt;
  std::optional<Unawaited> only;
  for (const std::uint32_t place : starts_of(rank, wait.place)) {
    if (!may_have_got(rank.events[place], message)) continue;
    if (only) return std::nullopt;
    only = found(place);
  }
  return only;
}

}  // namespace commgauge::replay
