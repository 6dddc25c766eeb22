#pragma once

#include <cstddef>

/// Collective operations of MPI itself, over all ranks, that may be many more than cores: who waits
/// sleeps, where MPI would look on and keep others from their core.
namespace commgauge::emulate::politely {

/// From one rank to all.
void broadcast(void* data, std::size_t bytes, int root = 0);
/// @return the least of all ranks' values
[[nodiscard]] int least(int value);
/// @param all  on the first rank: room for `bytes` of each rank
void gather(const void* own, std::size_t bytes, void* all);

}  // namespace commgauge::emulate::politely
