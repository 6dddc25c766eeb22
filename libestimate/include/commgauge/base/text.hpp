#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace commgauge {
namespace detail {

/// Of the message sizes that text and files may give [bytes].
inline constexpr std::uint64_t largest_size = std::uint64_t{1} << 63U;

}  // namespace detail

/// Two digits, or all before the point: "3.1", "160".
[[nodiscard]] inline std::string two_digits(double value) {
  constexpr double least_whole = 99.5;
  char text[32];
  const bool is_whole = value >= least_whole || value <= -least_whole;
  std::snprintf(text, sizeof text, is_whole ? "%.0f" : "%.2g", value);
  return text;
}

/// Without blanks and tabs at its ends.
[[nodiscard]] constexpr std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t";
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// "a, b, c" of words or numbers.
template <class Range>
[[nodiscard]] std::string comma_list(const Range& items) {
  std::string text;
  for (const auto& item : items) {
    if (!text.empty()) text += ", ";
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(item)>>) {
      text += std::to_string(item);
    } else {
      text += item;
    }
  }
  return text;
}

/// "a, b or c" of words. @pre two at least
[[nodiscard]] inline std::string one_of(std::vector<std::string> words) {
  const std::string last = words.back();
  words.pop_back();
  return comma_list(words) + " or " + last;
}

/// "3.1 %"
[[nodiscard]] inline std::string percent(double fraction) {
  return two_digits(100 * fraction) + " %";
}

}  // namespace commgauge
