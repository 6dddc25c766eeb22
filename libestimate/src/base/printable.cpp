#include "commgauge/base/printable.hpp"

#include <algorithm>

namespace commgauge {
namespace {

unsigned byte(std::string_view text, std::size_t place) {
  return static_cast<unsigned char>(text[place]);
}

bool is_continuation(unsigned byte) { return (byte & 0xC0U) == 0x80U; }

/// A character of UTF-8: its number, and how many bytes it has; 0: they are none.
struct Character {
  unsigned number{};
  std::size_t bytes{};
};

/// @pre text isn't empty
Character first_character(std::string_view text) {
  const unsigned first = byte(text, 0);
  if (first < 0x80U) return {first, 1};
  const std::size_t bytes = first >= 0xF0U ? 4 : first >= 0xE0U ? 3 : 2;
  if (first < 0xC2U || first > 0xF4U || text.size() < bytes) return {};
  unsigned number = first & (0x7FU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if (!is_continuation(byte(text, i))) return {};
    number = number << 6U | (byte(text, i) & 0x3FU);
  }
  const bool is_too_long = (bytes == 3 && number < 0x800U) || (bytes == 4 && number < 0x10000U);
  const bool is_surrogate = number >= 0xD800U && number <= 0xDFFFU;
  return is_too_long || is_surrogate || number > 0x10FFFFU ? Character{} : Character{number, bytes};
}

bool shows_itself(unsigned number) {
  const auto is_in = [number](unsigned first, unsigned last) {
    return number >= first && number <= last;
  };
  const bool is_control = number < 0x20U || is_in(0x7FU, 0x9FU);
  // Marks, line ends and directions of writing.
  const bool is_format = is_in(0x200BU, 0x200FU) || is_in(0x2028U, 0x202EU) ||
                         is_in(0x2060U, 0x206FU) || number == 0xFEFFU;
  return !is_control && !is_format;
}

std::string shown(std::string_view text, bool keeps_line_ends) {
  std::string line;
  line.reserve(text.size());
  while (!text.empty()) {
    const auto [number, bytes] = first_character(text);
    const bool stays = bytes > 0 && (shows_itself(number) || (keeps_line_ends && number == '\n'));
    line += stays ? text.substr(0, bytes) : "?";
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return line;
}

}  // namespace

std::string one_line(std::string_view text) { return shown(text, false); }

std::string printable(std::string_view text) { return shown(text, true); }

std::string as_quoted(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::size_t end = std::min(text.size(), longest);
  for (int i = 1; i < 4 && end < text.size() && is_continuation(byte(text, end)); ++i) --end;
  return "'" + one_line(text.substr(0, end)) + (end < text.size() ? "..." : "") + "'";
}

}  // namespace commgauge
