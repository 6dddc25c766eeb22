#include "paths/received.hpp"

#include <cstddef>
#include <set>
#include <vector>

#include "commgauge/trace/events/crossings.hpp"

namespace commgauge::replay {

using simulate::Causes;
using trace::Event;

namespace {

bool may_have_got(const Event& receive, const Causes::Message& message) {
  return receive.kind == Event::Kind::receive && receive.found_peer == message.from &&
         receive.found_bytes == message.bytes &&
         static_cast<int>(2 * receive.context) == message.context;
}

/// Where the sends and receives begin that a wait finds over: its thread's from the last to the
/// first, then others'.
std::vector<std::uint32_t> starts_of(const trace::Rank& rank, std::uint32_t wait) {
  const Event& event = rank.events[wait];
  const auto first = rank.requests.begin() + event.list;
  std::set<std::uint32_t> open(first, first + event.count);
  std::vector<std::uint32_t> starts;
  std::vector<std::uint32_t> of_others;
  if (!rank.further_threads.empty()) {
    for (const trace::Crossing& one : crossings(rank)) {
      if (one.end != wait) continue;
      of_others.push_back(one.start);
      open.erase(rank.events[one.start].request);
    }
  }
  for (std::uint32_t place = wait; place-- > 0 && !open.empty();) {
    const Event& started = rank.events[place];
    if (started.kind == Event::Kind::thread_begin) break;
    const bool starts_message = started.kind == Event::Kind::receive ||
                                started.kind == Event::Kind::send ||
                                started.kind == Event::Kind::start;
    if (starts_message && open.erase(started.request) > 0) starts.push_back(place);
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
  if (event.kind == Event::Kind::receive) {
    return may_have_got(event, message) ? std::optional(found(wait.place)) : std::nullopt;
  }
  if (event.kind != Event::Kind::wait) return std::nullopt;
  std::optional<Unawaited> only;
  for (const std::uint32_t place : starts_of(rank, wait.place)) {
    if (!may_have_got(rank.events[place], message)) continue;
    if (only) return std::nullopt;
    only = found(place);
  }
  return only;
}

}  // namespace commgauge::replay
