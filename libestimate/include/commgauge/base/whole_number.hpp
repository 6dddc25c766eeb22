#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace commgauge {

/// Of a text that is nothing but digits; nothing: it is no number from 0 on, or too large for an
/// int.
[[nodiscard]] inline std::optional<int> whole_number(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

}  // namespace commgauge
