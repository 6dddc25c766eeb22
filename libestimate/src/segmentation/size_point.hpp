#pragma once

namespace commgauge {

/// The observations of one size as one weighted point.
struct SizePoint {
  double x{};       ///< size, from the smallest one on
  double y{};       ///< weighted mean time
  double weight{};  ///< sum of the weights
  double within{};  ///< weighted sum of squares around the mean: part of any segment's RSS
};

}  // namespace commgauge
