#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace commgauge::trace {

/// What a communicator or window was made of. Threads may make some of the same members at the same
/// time, in another order in each process, but not of one origin.
struct Origin {
  static constexpr std::uint32_t none = ~0U;
  std::uint32_t parent{none};  ///< of the process' communicators; none: of several, or of nothing
  std::string tag{};           ///< that its makers gave it (MPI_Comm_create_group)
  auto operator<=>(const Origin&) const = default;
};

}  // namespace commgauge::trace
