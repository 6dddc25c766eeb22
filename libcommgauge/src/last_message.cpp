#include "last_message.hpp"

#include <algorithm>
#include <array>

namespace commgauge::c {

namespace {

constexpr std::size_t longest = 2047;  ///< [bytes]
thread_local std::array<char, longest + 1> kept{};

/// Of a character of UTF-8 in several bytes, any but the first.
bool continues(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; }

}  // namespace

void keep_message(std::string_view text) noexcept {
  std::size_t length = std::min(text.size(), longest);
  if (length < text.size()) {
    while (length > 0 && continues(text[length])) --length;
  }
  std::copy_n(text.data(), length, kept.data());
  kept[length] = '\0';
}

const char* last_message() noexcept { return kept.data(); }

}  // namespace commgauge::c
