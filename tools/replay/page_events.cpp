#include "page_events.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include "commgauge/replay/spans.hpp"

namespace commgauge::tools {

namespace {

using replay::Span;
using replay::Timeline;

std::uint64_t nanoseconds(double seconds) {
  return static_cast<std::uint64_t>(std::llround(seconds * 1e9));
}

class Numbers {
 public:
  void add(std::uint64_t value) {
    for (; value > 127; value >>= 7U) bytes_ += static_cast<char>(value % 128 + 128);
    bytes_ += static_cast<char>(value);
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

void add_stretches(Numbers& numbers, const std::vector<Timeline::Stretch>& stretches) {
  numbers.add(stretches.size());
  std::uint64_t last = stretches.empty() ? 0 : nanoseconds(stretches.front().from);
  numbers.add(last);
  for (const Timeline::Stretch& stretch : stretches) {
    const std::uint64_t end = nanoseconds(stretch.to);
    numbers.add(4 * (end - last) + static_cast<std::uint64_t>(stretch.what));
    last = end;
  }
}

void add_spans(Numbers& numbers, const std::vector<Span>& spans) {
  std::vector<std::vector<Span>> depths;
  for (const Span& span : spans) {
    const auto depth = static_cast<std::size_t>(span.depth);
    if (depths.size() <= depth) depths.resize(depth + 1);
    depths[depth].push_back(span);
  }
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

std::string base64(const std::string& bytes) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve(bytes.size() / 3 * 4 + 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t k = i; k < i + 3; ++k) {
      three = three << 8U | (k < bytes.size() ? static_cast<unsigned char>(bytes[k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      const bool is_there = i + k <= bytes.size();
      text += is_there ? digits[three >> (18U - 6U * k) & 63U] : '=';
    }
  }
  return text;
}

}  // namespace

std::string page_events(const Outcome& outcome) {
  Numbers numbers;
  for (const auto& stretches : outcome.result.timeline.ranks) add_stretches(numbers, stretches);
  for (const auto& spans : replay::spans_of(outcome.trace, outcome.result)) {
    add_spans(numbers, spans);
  }
  add_messages(numbers, outcome.result.timeline.messages);
  add_traffic(numbers, outcome.result.traffic);
  return base64(numbers.bytes());
}

}  // namespace commgauge::tools
