#pragma once

#include <array>
#include <compare>

namespace commgauge {

/// The class of a pair of ranks, in any direction.
struct PairClass {
  bool is_within{};                  ///< a host
  std::array<int, 2> kinds{-1, -1};  ///< of the ranks, ascending; −1: any
  auto operator<=>(const PairClass&) const = default;
};

}  // namespace commgauge
