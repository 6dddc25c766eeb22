#include "path_parts.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace commgauge::replay {

using simulate::Causes;

namespace {

std::optional<PathMessage> message_of(const Causes& causes, const simulate::Cause& cause) {
  if (cause.message == simulate::no_message) return std::nullopt;
  const Causes::Message& message = causes.messages()[cause.message];
  return PathMessage{message.from, message.to, message.bytes};
}

/// @return whether it was
bool joined(CriticalPath::Step& last, const CriticalPath::Step& next) {
  const bool goes_on = last.rank == next.rank && last.why == next.why && last.call == next.call &&
                       last.message == next.message;
  if (goes_on) last.to = next.to;
  return goes_on;
}

}  // namespace

CriticalPath critical_path_of(const Causes& causes, const Places& places, const LongestPaths& paths,
                              std::size_t most_steps) {
  using Key = std::tuple<int, std::uint32_t, Places::Call, simulate::Why>;
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
    Sum& sum = sums[{rank, places.region(rank, place), call, cause.why}];
    sum = {place, sum.seconds + cause.delay};
    const CriticalPath::Step step{.rank = rank,
                                  .from = causes.time(to) - cause.delay,
                                  .to = causes.time(to),
                                  .why = cause.why,
                                  .call = places.call_name(call),
                                  .message = message_of(causes, cause)};
    if (!path.steps.empty() && path.left_out == 0 && joined(path.steps.back(), step)) continue;
    if (path.steps.size() < most_steps) {
      path.steps.push_back(step);
    } else {
      ++path.left_out;
    }
  }
  for (const auto& [key, sum] : sums) {
    const int rank = std::get<int>(key);
    path.parts.push_back(
        {places.whereabouts(rank, sum.place), std::get<simulate::Why>(key), sum.seconds});
  }
  std::ranges::stable_sort(path.parts, std::greater{}, &CriticalPath::Part::seconds);
  return path;
}

}  // namespace commgauge::replay
