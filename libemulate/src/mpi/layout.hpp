#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

namespace commgauge::emulate {

/// A row of bytes in memory.
struct Block {
  std::int64_t offset;  ///< from where the first element is said to be
  std::uint64_t bytes;
};

/// Where the data of elements lie, in the order in which MPI packs them, adjacent ones as one.
/// O(blocks), and the extent of the datatype when it is first asked for.
/// @pre the datatype is committed
[[nodiscard]] std::vector<Block> layout_of(std::int64_t count, MPI_Datatype type);

/// The program frees it: its handle may be another's.
void forget_layout(MPI_Datatype type);

/// The predefined datatype that it is made of; of several the first.
[[nodiscard]] MPI_Datatype base_of(MPI_Datatype type);

}  // namespace commgauge::emulate
