#include "received.hpp"

#include <cstddef>
#include <set>

namespace commgauge::replay {

using simulate::Causes;
using trace::Event;

namespace {

bool may_have_got(const Event& receive, const Causes::Message& message) {
  return receive.kind == Event::Kind::receive && receive.found_peer == message.from &&
         receive.found_bytes == message.bytes &&
         static_cast<int>(2 * receive.context) == message.context;
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
  const auto first = rank.requests.begin() + event.list;
  std::set<std::uint32_t> open(first, first + event.count);
  std::optional<Unawaited> only;
  for (std::uint32_t place = wait.place; place-- > 0 && !open.empty();) {
    const Event& started = rank.events[place];
    const bool starts = started.kind == Event::Kind::receive || started.kind == Event::Kind::send ||
                        started.kind == Event::Kind::start;
    if (!starts || open.erase(started.request) == 0 || !may_have_got(started, message)) continue;
    if (only) return std::nullopt;
    only = found(place);
  }
  return only;
}

}  // namespace commgauge::replay
