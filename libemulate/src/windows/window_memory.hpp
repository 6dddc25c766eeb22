#pragma once

#include <span>

#include "mpi/layout.hpp"
#include "shared/live_world.hpp"
#include "windows/window.hpp"

namespace commgauge::emulate {

/// A list of what is attached to a dynamic window, which all ranks see. @return where its first
/// one is told
[[nodiscard]] Offset make_attached(LiveWorld& live);
void free_attached(LiveWorld& live, Offset attached);

/// @throws MpiFailure  of blocks at that address one isn't the window's memory at the target
void check_range(LiveWorld& live, const Window& window, int target, std::uint64_t start,
                 std::span<const Block> blocks);

}  // namespace commgauge::emulate
