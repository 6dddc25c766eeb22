#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace commgauge::detail {

/// Control characters become `?`, so that a message with foreign text in it stays on one line.
[[nodiscard]] inline std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(),
      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '?');
  return text;
}

/// The user's own words in a message: quoted, on one line, cut where they are long.
[[nodiscard]] inline std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 40;
  const std::string shown = one_line(std::string{text.substr(0, longest)});
  return "'" + shown + (text.size() > longest ? "..." : "") + "'";
}

}  // namespace commgauge::detail
