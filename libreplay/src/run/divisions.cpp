#include "run/divisions.hpp"

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

namespace commgauge::replay {

namespace {

/// From, to, communicator, tag.
using Way = std::tuple<int, int, std::uint32_t, std::int32_t>;

/// Calls `what(rank, place, event)` for each event of that kind, those of a rank's threads in the
/// order of time.
template <class What>
void for_each(const trace::Trace& trace, trace::Event::Kind kind, const What& what) {
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    const auto& events = trace.ranks[r].events;
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < events.size(); ++i) {
      if (events[i].kind == kind) found.push_back(i);
    }
    if (!trace.ranks[r].further_threads.empty()) {
      std::ranges::stable_sort(found, {}, [&](std::size_t i) { return events[i].time; });
    }
    for (const std::size_t i : found) what(static_cast<int>(r), i, events[i]);
  }
}

}  // namespace

Divisions::Divisions(const trace::Trace& trace) {
  using Kind = trace::Event::Kind;
  std::map<Way, std::vector<simulate::Division>> sent;
  std::vector<int> prepared(trace.ranks.size());
  for_each(trace, Kind::prepare_send, [&](int rank, std::size_t place, const auto& event) {
    const int number = prepared[static_cast<std::size_t>(rank)]++;
    const simulate::Division division{static_cast<int>(event.count),
                                      simulate::partition_context(number), event.bytes};
    all_[{rank, place}] = division;
    sent[{rank, event.peer, event.context, event.tag}].push_back(division);
  });
  if (sent.empty()) return;
  std::map<Way, std::size_t> asked;
  for_each(trace, Kind::prepare_receive, [&](int rank, std::size_t place, const auto& event) {
    const Way way{event.peer, rank, event.context, event.tag};
    const auto found = sent.find(way);
    const std::size_t which = asked[way]++;
    if (found == sent.end() || which >= found->second.size()) return;
    all_[{rank, place}] = found->second[which];
  });
}

const simulate::Division* Divisions::find(int rank, std::size_t event) const {
  const auto found = all_.find({rank, event});
  return found == all_.end() ? nullptr : &found->second;
}

}  // namespace commgauge::replay
