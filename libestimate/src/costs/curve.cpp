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

void Curve::shift(double seconds) {
  first.fixed += seconds;
  for (Piece& piece : later) piece.line.fixed += seconds;
}

}  // namespace commgauge
