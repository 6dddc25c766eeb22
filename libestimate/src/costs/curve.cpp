#include "commgauge/costs/curve.hpp"

#include <algorithm>
#include <cmath>

namespace commgauge {

double Curve::least() const {
  double least = first.fixed;
  for (const Piece& piece : later) {
    const double start = piece.line.at(piece.from);
    if (std::isnan(start)) return start;
    least = std::min(least, start);
  }
  return least;
}

bool Curve::has_falling_line() const {
  const auto falls = [](const Piece& piece) { return piece.line.per_byte < 0; };
  return first.per_byte < 0 || std::ranges::any_of(later, falls);
}

void Curve::scale(double factor) {
  const auto scaled = [factor](const CostLine& line) {
    return CostLine{factor * line.fixed, factor * line.per_byte};
  };
  first = scaled(first);
  for (Piece& piece : later) piece.line = scaled(piece.line);
  per_block *= factor;
}

void Curve::scale_bytes(double factor) {
  const double empty = first.fixed;
  scale(factor);
  shift((1 - factor) * empty);
}

void Curve::shift(double seconds) {
  first.fixed += seconds;
  for (Piece& piece : later) piece.line.fixed += seconds;
}

}  // namespace commgauge
