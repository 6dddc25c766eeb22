#pragma once

#include <algorithm>
#include <string>

namespace commgauge::detail {

/// Control characters become `?`, so that a message with foreign text in it stays on one line.
[[nodiscard]] inline std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(),
      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '?');
  return text;
}

}  // namespace commgauge::detail
