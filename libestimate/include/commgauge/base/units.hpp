#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace commgauge {

/// Time [s].
struct Seconds {
  double value{};
  auto operator<=>(const Seconds&) const = default;
};

/// Message size [bytes].
struct Bytes {
  std::uint64_t value{};
  auto operator<=>(const Bytes&) const = default;
};

/// For kernels of plain numbers. [bytes]
[[nodiscard]] constexpr double as_double(Bytes size) { return static_cast<double>(size.value); }

/// Inverse bandwidth, or gap per byte [s/byte].
struct SecondsPerByte {
  double value{};
  auto operator<=>(const SecondsPerByte&) const = default;
};

/// Bandwidth [byte/s].
struct BytesPerSecond {
  double value{};
  auto operator<=>(const BytesPerSecond&) const = default;
};

constexpr Seconds operator+(Seconds a, Seconds b) { return {a.value + b.value}; }
constexpr Seconds operator-(Seconds a, Seconds b) { return {a.value - b.value}; }
constexpr Seconds operator*(double k, Seconds a) { return {k * a.value}; }
constexpr Seconds operator/(Seconds a, double k) { return {a.value / k}; }
constexpr double operator/(Seconds a, Seconds b) { return a.value / b.value; }
constexpr Seconds operator*(SecondsPerByte g, Bytes m) {
  return {g.value * static_cast<double>(m.value)};
}
constexpr SecondsPerByte operator/(Seconds t, Bytes m) {
  return {t.value / static_cast<double>(m.value)};
}

/// Reads a size: `1024`, `64KiB`, `1MiB`, `1GiB` (binary), `64kB`, `1MB`, `1GB` (decimal). Case
/// matters; a decimal fraction is fine where it gives whole bytes (`1.5KiB`).
///
/// @throws InputError  not a number, negative, an unknown suffix, a bare `M` or `K` (is it binary
///                     or decimal?), a fraction of a byte, or a value beyond 2^63.
[[nodiscard]] Bytes parse_size(std::string_view text);

/// Reads a list of sizes separated by commas. @throws InputError as parse_size, or empty.
[[nodiscard]] std::vector<Bytes> parse_sizes(std::string_view text);

/// Reads a duration: `500ms`, `60s`, `2min`, `1h` (`us` and `ns` too), a bare number is seconds.
/// @throws InputError  not a number, negative, an unknown suffix, or beyond what a double holds.
[[nodiscard]] Seconds parse_duration(std::string_view text);

/// For people: `1.24 µs`, `31.0 ms`. Three significant digits.
[[nodiscard]] std::string to_text(Seconds time);
/// For people: `512 B`, `64 KiB`, `1.5 MiB`.
[[nodiscard]] std::string to_text(Bytes size);
/// For people, with the bandwidth beside it: `0.0800 ns/B (12.5 GB/s)`.
[[nodiscard]] std::string to_text(SecondsPerByte gap);
/// The gap alone: `0.0800 ns/B`.
[[nodiscard]] std::string per_byte_text(SecondsPerByte gap);
/// For people: `12.5 GB/s`.
[[nodiscard]] std::string to_text(BytesPerSecond rate);

}  // namespace commgauge
