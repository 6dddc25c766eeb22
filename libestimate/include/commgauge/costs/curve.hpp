#pragma once

#include <cmath>
#include <limits>
#include <vector>

namespace commgauge {

/// Time of a message against its size.
struct CostLine {
  double fixed{};     ///< [s]
  double per_byte{};  ///< [s/byte]
  [[nodiscard]] double at(double size) const { return fixed + per_byte * size; }
  friend bool operator==(const CostLine&, const CostLine&) = default;
};

[[nodiscard]] constexpr CostLine operator+(CostLine a, CostLine b) {
  return {a.fixed + b.fixed, a.per_byte + b.per_byte};
}
[[nodiscard]] constexpr CostLine operator-(CostLine a, CostLine b) {
  return {a.fixed - b.fixed, a.per_byte - b.per_byte};
}

/// Lines, each from a size on; and what a message costs more that is sent in several blocks.
struct Curve {
  struct Piece {
    double from{};  ///< [bytes]
    CostLine line;
    friend bool operator==(const Piece&, const Piece&) = default;
  };
  CostLine first;                                         ///< from an empty message on
  std::vector<Piece> later;                               ///< ascending, above 0
  double block{std::numeric_limits<double>::infinity()};  ///< [bytes]
  double per_block{};                                     ///< of each but the first [s]

  /// Without its blocks.
  [[nodiscard]] CostLine line_at(double size) const {
    CostLine line = first;
    for (const Piece& piece : later) {
      if (size < piece.from) break;
      line = piece.line;
    }
    return line;
  }
  [[nodiscard]] double at(double size) const {
    const double time = line_at(size).at(size);
    return size > block ? time + (std::ceil(size / block) - 1) * per_block : time;
  }
  /// The least time of any size, where no line falls; NaN where a piece is unknown.
  [[nodiscard]] double least() const;
  [[nodiscard]] bool has_falling_line() const;
  /// Adds to all lines.
  void shift(double seconds);
  /// Multiplies all of them.
  void scale(double factor);
  /// Multiplies what sizes take more than an empty message.
  void scale_bytes(double factor);
  friend bool operator==(const Curve&, const Curve&) = default;
};

}  // namespace commgauge
