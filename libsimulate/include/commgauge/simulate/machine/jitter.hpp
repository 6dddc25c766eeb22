#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace commgauge::simulate {

/// By how much messages are late, each by itself: exponentially distributed. The same message is
/// late by the same time in one thread, on live processes and in a replay.
struct Jitter {
  /// What of a message is late.
  enum class Leg : std::uint8_t { message, answer, access };

  double mean{};      ///< of an empty message [s]
  double per_byte{};  ///< what data are late by more, for each byte [s/byte]
  std::uint64_t seed{};
  /// Empty messages are late by all of `mean`, even if that is more than they take: it was asked
  /// for. Else quick pairs, whose lateness was measured with others', are late by less.
  bool is_whole{};

  /// Whether any message is late.
  [[nodiscard]] bool is_there() const { return mean > 0 || per_byte > 0; }

  /// @param number  of the message among its sender's
  /// @return in terms of the mean; at most 30
  [[nodiscard]] double lateness(int from, int to, int number, Leg leg) const;

  template <class Self, class Stream>
  static void visit_parts(Self& self, Stream& stream) {
    stream(self.mean);
    stream(self.per_byte);
    stream(self.seed);
    stream(self.is_whole);
  }
};

/// Which messages are to be late.
struct WantedJitter {
  bool none{};                          ///< said to be none
  std::optional<std::uint64_t> seed{};  ///< nothing, and not `none`: as whoever asks does it
  std::optional<double> mean{};         ///< [s]; nothing: as the model file says
  double per_byte{};                    ///< beside `mean` [s/byte]
  bool is_whole{};                      ///< Jitter::is_whole
  bool where_known{};                   ///< only where it says, and requests queue: else none is
  [[nodiscard]] bool is_open() const { return !none && !seed; }
};

/// `none`, `SEED` or `SEED:MEAN`, as in 7:50us.
/// @throws InputError  it says something else; a mean that isn't above zero, or beyond an hour
[[nodiscard]] WantedJitter parse_jitter(std::string_view text);

}  // namespace commgauge::simulate
