#include "explain/critical_path.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace commgauge::replay {

using simulate::Causes;

namespace {

/// Whether a message goes its way meanwhile, and not a rank.
bool is_on_its_way(simulate::Why why) {
  switch (why) {
    case simulate::Why::flight:
    case simulate::Why::delivery:
    case simulate::Why::link:
    case simulate::Why::handshake:
    case simulate::Why::reply:
    case simulate::Why::handshake_behind:
    case simulate::Why::reply_behind:
    case simulate::Why::data:
    case simulate::Why::data_sending:
    case simulate::Why::data_sending_after:
    case simulate::Why::delivering:
    case simulate::Why::travelling_before:
    case simulate::Why::port_sending:
    case simulate::Why::port_receiving:
    case simulate::Why::link_keeping:
    case simulate::Why::link_leading:
    case simulate::Why::host_link:
    case simulate::Why::host_link_piece:
    case simulate::Why::host_flight:
    case simulate::Why::host_rest:
    case simulate::Why::sharing:
      return true;
    default:
      return false;
  }
}

std::optional<PathMessage> path_message(const Causes& causes, const simulate::Cause& cause) {
  if (cause.message == simulate::no_message || !is_on_its_way(cause.why)) return std::nullopt;
  const Causes::Message& message = causes.messages()[cause.message];
  return PathMessage{message.from, message.to, message.bytes};
}

/// @return whether it was
bool joined(CriticalPath::Step& last, const CriticalPath::Step& next) {
  const bool goes_on = last.rank == next.rank && last.kind == next.kind && last.call == next.call &&
                       last.message == next.message;
  if (goes_on) last.to = next.to;
  return goes_on;
}

}  // namespace

CriticalPath critical_path_of(const Causes& causes, const Places& places, const LongestPaths& paths,
                              const CostDivision& division, std::size_t most_steps) {
  using Key = std::tuple<int, std::uint32_t, Places::Call, std::size_t>;
  struct Sum {
    std::uint32_t place{};
    double seconds{};
  };
  CriticalPath path;
  std::map<Key, Sum> sums;
  for (const auto& [to, cause, which] : paths.critical_path()) {
    if (cause.delay == 0) continue;
    const int rank = causes.rank(to);
    const std::uint32_t place = causes.place(to);
    const Places::Call call = places.call(rank, place);
    const CostsByKind costs = division.of(cause);
    for (std::size_t kind = 0; kind < costs.size(); ++kind) {
      if (costs[kind] == 0) continue;
      Sum& sum = sums[{rank, places.region(rank, place), call, kind}];
      sum = {place, sum.seconds + costs[kind]};
    }
    const auto most = std::ranges::max_element(costs) - costs.begin();
    const CriticalPath::Step step{.rank = rank,
                                  .from = causes.time(to) - cause.delay,
                                  .to = causes.time(to),
                                  .kind = static_cast<CostKind>(most),
                                  .call = places.call_name(call),
                                  .message = path_message(causes, cause)};
    if (!path.steps.empty() && path.left_out == 0 && joined(path.steps.back(), step)) continue;
    if (path.steps.size() < most_steps) {
      path.steps.push_back(step);
    } else {
      ++path.left_out;
    }
  }
  for (const auto& [key, sum] : sums) {
    const int rank = std::get<int>(key);
    path.parts.push_back({places.whereabouts(rank, sum.place),
                          static_cast<CostKind>(std::get<3>(key)), sum.seconds});
  }
  std::ranges::stable_sort(path.parts, std::greater{}, &CriticalPath::Part::seconds);
  return path;
}

}  // namespace commgauge::replay
