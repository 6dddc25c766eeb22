#pragma once

#include <string>

#include "shared/live_world.hpp"
#include "shared/shared_memory.hpp"

namespace commgauge::emulate {

/// Lets all ranks know of a problem that one has. Collective.
/// @param problem  of this rank; empty: none
/// @throws InputError  on every rank the same: the problem of the lowest rank that has one
void agree(const std::string& problem);

/// What the ranks of the job share.
struct Shared {
  SharedMemory memory;
  Offset place;  ///< of the world in it
};

/// Collective. @param problem  that this rank has already; empty: none
/// @throws InputError  on every rank
[[nodiscard]] Shared share_memory(int rank, int ranks, std::string problem);

}  // namespace commgauge::emulate
