#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace commgauge::preload {

/// A text as a template's argument: of a call, its name.
template <std::size_t Size>
struct Text {
  constexpr Text(const char (&text)[Size]) { std::copy_n(text, Size, characters); }
  [[nodiscard]] constexpr std::string_view view() const { return {characters, Size - 1}; }
  char characters[Size]{};
};

}  // namespace commgauge::preload
