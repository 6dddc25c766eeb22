#include "replay/page/page_events.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "commgauge/replay/run/spans.hpp"
#include "replay/page/page_numbers.hpp"

namespace commgauge::tools {

namespace {

using replay::Span;
using replay::Timeline;

void add_stretches(Numbers& numbers, const std::vector<Timeline::Stretch>& stretches) {
  numbers.add(stretches.size());
  std::uint64_t last = stretches.empty() ? 0 : nanoseconds(stretches.front().from);
  numbers.add(last);
  for (const Timeline::Stretch& stretch : stretches) {
    const std::uint64_t end = nanoseconds(stretch.to);
    numbers.add(8 * (end - last) + static_cast<std::uint64_t>(stretch.what));
    last = end;
  }
}

void add_spans(Numbers& numbers, const std::vector<Span>& spans) {
  const auto depths = by_depth(spans);
  numbers.add(depths.size());
  for (const auto& depth : depths) {
    numbers.add(depth.size());
    std::uint64_t last = 0;
    for (const Span& span : depth) {
      const std::uint64_t from = nanoseconds(span.from);
      const std::uint64_t to = nanoseconds(span.to);
      numbers.add(from - last);
      numbers.add(to - from);
      numbers.add(2 * std::uint64_t{span.name} + (span.is_region ? 1 : 0));
      last = to;
    }
  }
}

void add_messages(Numbers& numbers, std::vector<Timeline::Message> messages) {
  std::ranges::stable_sort(messages, {}, &Timeline::Message::received);
  numbers.add(messages.size());
  std::uint64_t last = 0;
  for (const Timeline::Message& message : messages) {
    const std::uint64_t received = nanoseconds(message.received);
    numbers.add(received - last);
    numbers.add(received - nanoseconds(message.sent));
    numbers.add(static_cast<std::uint64_t>(message.from));
    numbers.add(static_cast<std::uint64_t>(message.to));
    numbers.add(message.bytes);
    last = received;
  }
}

void add_traffic(Numbers& numbers, const std::vector<replay::Traffic>& traffic) {
  numbers.add(traffic.size());
  for (const replay::Traffic& pair : traffic) {
    numbers.add(static_cast<std::uint64_t>(pair.from));
    numbers.add(static_cast<std::uint64_t>(pair.to));
    numbers.add(pair.messages);
    numbers.add(pair.bytes);
  }
}

}  // namespace

std::vector<std::vector<Span>> by_depth(const std::vector<Span>& spans) {
  std::vector<std::vector<Span>> depths;
  for (const Span& span : replay::of_thread(spans, 0)) {
    const auto depth = static_cast<std::size_t>(span.depth);
    if (depths.size() <= depth) depths.resize(depth + 1);
    depths[depth].push_back(span);
  }
  return depths;
}

std::string page_events(const Outcome& outcome) {
  Numbers numbers;
  for (const auto& stretches : outcome.result.timeline.ranks) add_stretches(numbers, stretches);
  for (const auto& spans : replay::spans_of(outcome.trace, outcome.result)) {
    add_spans(numbers, spans);
  }
  add_messages(numbers, outcome.result.timeline.messages);
  add_traffic(numbers, outcome.result.traffic);
  return numbers.base64();
}

}  // namespace commgauge::tools
