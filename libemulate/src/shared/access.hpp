#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "mpi/layout.hpp"
#include "shared/live_world.hpp"
#include "shared/remote_memory.hpp"

namespace commgauge::emulate {

/// What an access does to its target's memory: it reads, or combines what is there with its data by
/// a reduction operator; MPI_REPLACE puts, MPI_NO_OP gets.
struct Deed {
  RemoteMemory memory;
  std::span<const Block> blocks;
  MPI_Datatype base{MPI_BYTE};  ///< of what is combined
  MPI_Op op{MPI_NO_OP};
  std::uint64_t bytes{};        ///< at the target
  const std::byte* data{};      ///< as many; none where nothing is combined
  bool leaves_data{};           ///< they stay there until it is carried out
  const std::byte* compared{};  ///< MPI_Compare_and_swap: data take their place only
  std::byte* fetched{};         ///< where what was there before goes; nowhere
};

/// Lets all ranks see an access: whichever of them needs its effect first carries it out, when its
/// time has come. @throws InputError  shared memory is full
[[nodiscard]] Offset share(LiveWorld& live, const Deed& deed);

/// Carries out the accesses to a rank's memory whose time has come, in their order.
void carry_out_accesses(LiveWorld& live, int rank);

}  // namespace commgauge::emulate
