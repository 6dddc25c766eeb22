#include "access.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <vector>

#include "datatypes.hpp"

namespace commgauge::emulate {

namespace {

/// A Deed in shared memory: behind it stand its blocks, data, and data to compare with.
struct Stored {
  RemoteMemory memory;
  std::uint64_t blocks;
  MPI_Datatype base;
  MPI_Op op;
  std::uint64_t bytes;
  std::uint64_t given;  ///< bytes of data
  bool compares;
  Offset fetched;
};

std::byte* blocks_of(Stored& stored) { return reinterpret_cast<std::byte*>(&stored + 1); }
std::byte* data_of(Stored& stored) { return blocks_of(stored) + stored.blocks * sizeof(Block); }

/// data (op) there, into `there`.
void combine(const std::byte* data, std::byte* there, std::uint64_t bytes, MPI_Datatype base,
             MPI_Op op) {
  const int count = static_cast<int>(bytes / size_of(base));
  if (plain_size(base) > 0) {
    PMPI_Reduce_local(data, there, count, base, op);
    return;
  }
  Elements given(count, base);
  Elements held(count, base);
  unpack(data, bytes, given.data(), base);
  unpack(there, bytes, held.data(), base);
  PMPI_Reduce_local(given.data(), held.data(), count, base, op);
  pack(held.data(), count, base, there);
}

void carry_out(Stored& stored, std::byte* fetched) {
  const std::span blocks(reinterpret_cast<const Block*>(blocks_of(stored)), stored.blocks);
  const std::byte* const data = data_of(stored);
  const bool replaces = stored.op == MPI_REPLACE;
  std::vector<std::byte> there;
  if (stored.fetched != 0 || stored.compares || (!replaces && stored.op != MPI_NO_OP)) {
    there.resize(stored.bytes);
    read_memory(stored.memory, blocks, there.data());
  }
  if (stored.fetched != 0) std::ranges::copy(there, fetched);
  if (stored.op == MPI_NO_OP) return;
  if (stored.compares && !std::equal(there.begin(), there.end(), data + stored.bytes)) return;
  if (replaces) {
    write_memory(stored.memory, blocks, data);
  } else {
    combine(data, there.data(), stored.bytes, stored.base, stored.op);
    write_memory(stored.memory, blocks, there.data());
  }
}

}  // namespace

SharedDeed share(LiveWorld& live, const Deed& deed) {
  const std::uint64_t given =
      (deed.data != nullptr ? deed.bytes : 0) + (deed.compared != nullptr ? deed.bytes : 0);
  SharedDeed shared{};
  Arena& arena = live.world().arena();
  {
    const std::lock_guard lock(live.world());
    shared.deed = arena.allocate(sizeof(Stored) + deed.blocks.size_bytes() + given);
    if (deed.fetches) shared.fetched = arena.allocate(deed.bytes);
  }
  auto& stored = *arena.at<Stored>(shared.deed);
  stored = {deed.memory, deed.blocks.size(),       deed.base,     deed.op, deed.bytes,
            given,       deed.compared != nullptr, shared.fetched};
  std::memcpy(blocks_of(stored), deed.blocks.data(), deed.blocks.size_bytes());
  if (deed.data != nullptr) std::memcpy(data_of(stored), deed.data, deed.bytes);
  if (deed.compared != nullptr) {
    std::memcpy(data_of(stored) + deed.bytes, deed.compared, deed.bytes);
  }
  return shared;
}

void carry_out_accesses(LiveWorld& live, int rank) {
  World& world = live.world();
  const std::lock_guard one_at_a_time(live.memory_of(rank));
  for (;;) {
    Offset access = 0;
    {
      const std::lock_guard lock(world);
      access = world.take_access(rank);
    }
    if (access == 0) return;
    auto& stored = *world.arena().at<Stored>(world.message(access).payload);
    carry_out(stored, world.arena().at<std::byte>(stored.fetched));
    const std::lock_guard lock(world);
    world.drop_message(access);
  }
}

}  // namespace commgauge::emulate
