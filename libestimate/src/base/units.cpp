#include "commgauge/base/units.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <system_error>

#include "commgauge/base/error.hpp"
#include "commgauge/base/printable.hpp"
#include "commgauge/base/text.hpp"

namespace commgauge {
namespace {

[[noreturn]] void refuse(std::string_view what, std::string_view text, std::string_view why) {
  throw InputError(std::string{what} + " " + as_quoted(text) + " " + std::string{why});
}

struct SizeUnit {
  std::string_view suffix;
  std::uint64_t bytes;
};

constexpr std::array<SizeUnit, 8> size_units{{{"", 1},
                                              {"B", 1},
                                              {"KiB", 1ULL << 10},
                                              {"MiB", 1ULL << 20},
                                              {"GiB", 1ULL << 30},
                                              {"kB", 1'000},
                                              {"MB", 1'000'000},
                                              {"GB", 1'000'000'000}}};

std::uint64_t bytes_of_suffix(std::string_view suffix, std::string_view text) {
  if (const auto* unit = std::ranges::find(size_units, suffix, &SizeUnit::suffix);
      unit != size_units.end())
    return unit->bytes;
  if (suffix == "K" || suffix == "k" || suffix == "M" || suffix == "G") {
    const std::string number{trimmed(text.substr(0, text.size() - 1))};
    const std::string binary = suffix == "k" ? "K" : std::string{suffix};
    const std::string decimal = suffix == "K" ? "k" : std::string{suffix};
    refuse("size", text,
           "is ambiguous (binary or decimal?): write " + number + binary + "iB or " + number +
               decimal + "B");
  }
  refuse("size", text,
         "has an unknown unit (case matters): use B, KiB, MiB, GiB, kB, MB, GB, or none for bytes");
}

/// digits / divisor, exactly; divisor is a power of ten.
struct Decimal {
  std::uint64_t digits;
  std::uint64_t divisor;
};

/// Reads `123` or `1.5`; nothing when it is not such a number or has too many digits.
std::optional<Decimal> parse_decimal(std::string_view number) {
  const auto point = number.find('.');
  std::string digits{number.substr(0, point)};
  std::string_view fraction;
  if (point != std::string_view::npos) fraction = number.substr(point + 1);
  if (digits.empty() || (point != std::string_view::npos && fraction.empty())) return std::nullopt;
  fraction = fraction.substr(0, fraction.find_last_not_of('0') + 1);
  digits += fraction;

  Decimal result{0, 1};
  const auto* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, result.digits);
  if (error != std::errc{} || stop != end || fraction.size() > 18) return std::nullopt;
  for (std::size_t i = 0; i < fraction.size(); ++i) result.divisor *= 10;
  return result;
}

/// How many characters a number takes at the start, and no sign.
std::size_t length_of_number(std::string_view text) {
  return std::min(text.find_first_not_of("0123456789."), text.size());
}

void refuse_negative(std::string_view what, std::string_view text) {
  if (text.starts_with('-'))
    refuse(what, text, "is negative (nothing is less than 0): drop the sign");
}

/// Below a second as so many of them in one: dividing is exact to the last digit.
struct TimeUnit {
  std::string_view suffix;
  double seconds;
  double in_a_second;
};

constexpr std::array<TimeUnit, 8> time_units{{{"", 1, 1},
                                              {"s", 1, 1},
                                              {"ms", 1, 1e3},
                                              {"us", 1, 1e6},
                                              {"\u00b5s", 1, 1e6},
                                              {"ns", 1, 1e9},
                                              {"min", 60, 1},
                                              {"h", 3600, 1}}};

std::string fixed(double value, int decimals) {
  std::array<char, 400> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 std::chars_format::fixed, decimals);
  return {buffer.data(), end.ptr};
}

/// A number rounded to three significant digits, and how many decimals show them.
struct Rounded {
  double value;
  int decimals;
};

Rounded to_three_digits(double value) {
  if (value == 0) return {0, 0};
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 std::chars_format::scientific, 2);
  Rounded result{};
  std::from_chars(buffer.data(), end.ptr, result.value);
  int exponent{};
  const std::string_view text{buffer.data(), end.ptr};
  auto tail = text.substr(text.find('e') + 1);
  if (tail.starts_with('+')) tail.remove_prefix(1);
  std::from_chars(tail.data(), tail.data() + tail.size(), exponent);
  result.decimals = std::max(0, 2 - exponent);
  return result;
}

std::string three_digits(double value) {
  const auto rounded = to_three_digits(value);
  return fixed(rounded.value, rounded.decimals);
}

/// A unit, and how many of it make the next one.
struct Scale {
  std::string_view name;
  double limit;
};

constexpr double no_limit = std::numeric_limits<double>::infinity();
constexpr std::array<Scale, 6> time_scales{
    {{"ns", 1000}, {"\u00b5s", 1000}, {"ms", 1000}, {"s", 60}, {"min", 60}, {"h", no_limit}}};
constexpr std::array<Scale, 5> rate_scales{
    {{"B/s", 1000}, {"kB/s", 1000}, {"MB/s", 1000}, {"GB/s", 1000}, {"TB/s", no_limit}}};

/// In the first of the rising scales whose limit the rounded number stays below.
std::string in_best_scale(double value, std::span<const Scale> scales) {
  double magnitude = std::abs(value);
  for (const auto& [name, limit] : scales) {
    if (to_three_digits(magnitude).value < limit || limit == no_limit)
      return (value < 0 ? "-" : "") + three_digits(magnitude) + " " + std::string{name};
    magnitude = std::max(magnitude, limit) / limit;
  }
  return {};
}

constexpr std::array<std::string_view, 7> binary_units{"B",   "KiB", "MiB", "GiB",
                                                       "TiB", "PiB", "EiB"};

/// `1.5` for 1.50, `64` for 64.0.
std::string without_trailing_zeros(std::string number) {
  if (number.find('.') == std::string::npos) return number;
  number.erase(number.find_last_not_of('0') + 1);
  if (number.ends_with('.')) number.pop_back();
  return number;
}

}  // namespace

Bytes parse_size(std::string_view text) {
  const auto word = trimmed(text);
  refuse_negative("size", word);
  const auto length = length_of_number(word);
  if (length == 0)
    refuse("size", word, "is not a number (digits come first): write bytes, or e.g. 64KiB");
  const auto unit = bytes_of_suffix(trimmed(word.substr(length)), word);
  const auto number = parse_decimal(word.substr(0, length));
  if (!number)
    refuse("size", word, "is not a usable number (one point, 18 digits at most): write e.g. 64KiB");

  const auto common = std::gcd(unit, number->divisor);
  const auto divisor = number->divisor / common;
  if (number->digits % divisor != 0)
    refuse("size", word, "is not whole (a message has no fraction of a byte): give whole bytes");
  const auto whole = number->digits / divisor;
  const auto factor = unit / common;
  if (whole > detail::largest_size / factor)
    refuse("size", word, "is too large (2^63 bytes is the limit): give a smaller one");
  return {whole * factor};
}

std::vector<Bytes> parse_sizes(std::string_view text) {
  if (trimmed(text).empty())
    throw InputError("no sizes (the list is empty): give at least one, such as 1KiB,64KiB");
  std::vector<Bytes> sizes;
  while (true) {
    const auto comma = text.find(',');
    sizes.push_back(parse_size(text.substr(0, comma)));
    if (comma == std::string_view::npos) return sizes;
    text.remove_prefix(comma + 1);
  }
}

Seconds parse_duration(std::string_view text) {
  const auto word = trimmed(text);
  refuse_negative("duration", word);
  if (length_of_number(word) == 0)
    refuse("duration", word, "is not a number (digits come first): write seconds, or e.g. 500ms");
  double value{};
  const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error == std::errc::invalid_argument)
    refuse("duration", word, "is not a number (digits come first): write seconds, or e.g. 500ms");
  const auto suffix = trimmed(word.substr(static_cast<std::size_t>(stop - word.data())));
  const auto* unit = std::ranges::find(time_units, suffix, &TimeUnit::suffix);
  if (unit == time_units.end())
    refuse("duration", word, "has an unknown unit: use ns, us, ms, s, min, h, or none for seconds");
  const double seconds = value * unit->seconds / unit->in_a_second;
  if (error != std::errc{} || !std::isfinite(seconds))
    refuse("duration", word, "is out of range (no double holds it): give a usual one");
  return {seconds};
}

std::string to_text(Seconds time) {
  if (time.value == 0) return "0 s";
  if (!std::isfinite(time.value)) return fixed(time.value, 0) + " s";
  return in_best_scale(time.value * 1e9, time_scales);
}

std::string to_text(Bytes size) {
  auto scaled = static_cast<double>(size.value);
  std::size_t unit = 0;
  for (; unit + 1 < binary_units.size() && std::round(scaled) >= 1024; ++unit) scaled /= 1024;
  const int decimals = unit == 0 || scaled >= 99.95 ? 0 : scaled >= 9.995 ? 1 : 2;
  return without_trailing_zeros(fixed(scaled, decimals)) + " " + std::string{binary_units[unit]};
}

std::string to_text(SecondsPerByte gap) {
  const bool has_rate = std::isfinite(gap.value) && gap.value > 0;
  return per_byte_text(gap) + (has_rate ? " (" + to_text(BytesPerSecond{1 / gap.value}) + ")" : "");
}

std::string per_byte_text(SecondsPerByte gap) {
  const bool is_finite = std::isfinite(gap.value);
  return (is_finite ? three_digits(gap.value * 1e9) : fixed(gap.value, 0)) + " ns/B";
}

std::string to_text(BytesPerSecond rate) {
  if (!std::isfinite(rate.value)) return fixed(rate.value, 0) + " B/s";
  return in_best_scale(rate.value, rate_scales);
}

}  // namespace commgauge
