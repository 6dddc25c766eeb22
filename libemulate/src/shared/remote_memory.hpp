#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "mpi/layout.hpp"

namespace commgauge::emulate {

/// Memory of a process of this machine.
struct RemoteMemory {
  int pid;
  std::uint64_t start;  ///< where offsets of blocks count from
};

/// Lets the other ranks read and write this process' memory, where the system asks for leave.
void open_memory();

/// @param packed  the blocks' bytes, one after the other
/// @throws InputError  a block isn't memory of the process, or the system forbids it
void read_memory(const RemoteMemory& from, std::span<const Block> blocks, std::byte* packed);
void write_memory(const RemoteMemory& to, std::span<const Block> blocks, const std::byte* packed);

}  // namespace commgauge::emulate
