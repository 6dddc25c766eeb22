#include "run/divisions.hpp"

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

namespace commgauge::replay {

namespace {

/// From, to, communicator, tag.
using Way = std::tuple<int, int, std::uint32_t, std::int32_t>;

/// Calls `what(rank, place, event)` for each event of the kind, those of a rank's threads in the
/// order of time.
template <class Kind, class What>
void for_each(const trace::Trace& trace, const What& what) {
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    const auto& events = trace.ranks[r].events;
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < events.size(); ++i) {
      if (events[i].is<Kind>()) found.push_back(i);
    }
    if (!trace.ranks[r].further_threads.empty()) {
      std::ranges::stable_sort(found, {}, [&](std::size_t i) { return events[i].time; });
    }
    for (const std::size_t i : found) {
      what(static_cast<int>(r), i, std::get<Kind>(events[i].what));
    }
  }
}

}  // namespace

Divisions::Divisions(const trace::Trace& trace) {
  std::map<Way, std::vector<simulate::Division>> sent;
  std::vector<int> prepared(trace.ranks.size());
  for_each<trace::event::PrepareSend>(trace, [&](int rank, std::size_t place, const auto& send) {
    const int number = prepared[static_cast<std::size_t>(rank)]++;
    const simulate::Division division{static_cast<int>(send.partitions),
                                      simulate::partition_context(number), send.bytes};
    all_[{rank, place}] = division;
    sent[{rank, send.peer, send.context, send.tag}].push_back(division);
  });
  if (sent.empty()) return;
  std::map<Way, std::size_t> asked;
  for_each<trace::event::PrepareReceive>(
      trace, [&](int rank, std::size_t place, const auto& receive) {
        const Way way{receive.peer, rank, receive.context, receive.tag};
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
