#include "replay/page/page_numbers.hpp"

#include <cmath>
#include <string_view>

namespace commgauge::tools {

void Numbers::add(std::uint64_t value) {
  for (; value > 127; value >>= 7U) bytes_ += static_cast<char>(value % 128 + 128);
  bytes_ += static_cast<char>(value);
}

void Numbers::add_signed(std::int64_t value) {
  const auto twice = static_cast<std::uint64_t>(value) << 1U;
  add(value < 0 ? ~twice : twice);
}

void Numbers::add_all(const Numbers& others) {
  add(others.bytes_.size());
  bytes_ += others.bytes_;
}

std::string Numbers::base64() const {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve(bytes_.size() / 3 * 4 + 4);
  for (std::size_t i = 0; i < bytes_.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t k = i; k < i + 3; ++k) {
      three = three << 8U | (k < bytes_.size() ? static_cast<unsigned char>(bytes_[k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      const bool is_there = i + k <= bytes_.size();
      text += is_there ? digits[three >> (18U - 6U * k) & 63U] : '=';
    }
  }
  return text;
}

std::uint64_t nanoseconds(double seconds) {
  return static_cast<std::uint64_t>(std::llround(seconds * 1e9));
}

}  // namespace commgauge::tools
