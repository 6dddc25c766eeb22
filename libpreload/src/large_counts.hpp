#pragma once

#include <mpi.h>

#include <limits>
#include <type_traits>

/// Calls of MPI-4's functions with large counts (MPI_Send_c) as calls of those without.
namespace commgauge::preload {

/// Whether an argument is no count, or one that is an int.
template <class Argument>
[[nodiscard]] bool fits_an_int(Argument argument) {
  using Int = std::numeric_limits<int>;
  if constexpr (std::is_same_v<Argument, MPI_Count>) {
    return Int::min() <= argument && argument <= Int::max();
  }
  return true;
}

/// A count as an int, another argument as it is. @pre it fits
template <class Argument>
[[nodiscard]] auto as_int(Argument argument) {
  if constexpr (std::is_same_v<Argument, MPI_Count>) {
    return static_cast<int>(argument);
  } else {
    return argument;
  }
}

}  // namespace commgauge::preload
