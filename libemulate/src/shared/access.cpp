#include "shared/access.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <vector>

#include "mpi/datatypes.hpp"

namespace commgauge::emulate {

namespace {

/// A Deed in shared memory: behind it stand its blocks, data, and data to compare with.
struct Stored {
  RemoteMemory memory;
  std::uint64_t blocks;
  MPI_Datatype base;
  MPI_Op op;
  std::uint64_t bytes;
  bool compares;
  // Of the origin; 0: none
  RemoteMemory data;  ///< where they are left
  RemoteMemory fetched;
};

std::byte* blocks_of(Stored& stored) { return reinterpret_cast<std::byte*>(&stored + 1); }
std::byte* data_of(Stored& stored) { return blocks_of(stored) + stored.blocks * sizeof(Block); }

/// data (op) there, into `there`, of as many elements as MPI takes at a time.
void combine_some(const std::byte* data, std::byte* there, int count, MPI_Datatype base,
                  MPI_Op op) {
  if (plain_size(base) > 0) {
    PMPI_Reduce_local(data, there, count, base, op);
    return;
  }
  const std::uint64_t bytes = static_cast<std::uint64_t>(count) * size_of(base);
  Elements given(count, base);
  Elements held(count, base);
  unpack(data, bytes, given.data(), base);
  unpack(there, bytes, held.data(), base);
  PMPI_Reduce_local(given.data(), held.data(), count, base, op);
  pack(held.data(), count, base, there);
}

void combine(const std::byte* data, std::byte* there, std::uint64_t bytes, MPI_Datatype base,
             MPI_Op op) {
  constexpr std::uint64_t most = 1 << 20;  // elements
  const std::uint64_t size = size_of(base);
  for (std::uint64_t done = 0; done < bytes; done += most * size) {
    const auto count = static_cast<int>(std::min(most, (bytes - done) / size));
    if (count == 0) return;
    combine_some(data + done, there + done, count, base, op);
  }
}

/// The data, or a copy of what is left with their origin. @param room  for that
const std::byte* data_of(Stored& stored, std::vector<std::byte>& room) {
  if (stored.data.start == 0) return data_of(stored);
  if (stored.data.pid == getpid()) return reinterpret_cast<const std::byte*>(stored.data.start);
  const Block whole{0, stored.bytes};
  room.resize(stored.bytes);
  read_memory(stored.data, {&whole, 1}, room.data());
  return room.data();
}

void carry_out(Stored& stored) {
  const std::span blocks(reinterpret_cast<const Block*>(blocks_of(stored)), stored.blocks);
  const Block whole{0, stored.bytes};
  const bool replaces = stored.op == MPI_REPLACE;
  std::vector<std::byte> there;
  if (stored.fetched.start != 0 || stored.compares || (!replaces && stored.op != MPI_NO_OP)) {
    there.resize(stored.bytes);
    read_memory(stored.memory, blocks, there.data());
  }
  if (stored.fetched.start != 0) write_memory(stored.fetched, {&whole, 1}, there.data());
  if (stored.op == MPI_NO_OP) return;
  std::vector<std::byte> room;
  const std::byte* const data = data_of(stored, room);
  if (stored.compares && !std::equal(there.begin(), there.end(), data + stored.bytes)) return;
  if (replaces) {
    write_memory(stored.memory, blocks, data);
  } else {
    combine(data, there.data(), stored.bytes, stored.base, stored.op);
    write_memory(stored.memory, blocks, there.data());
  }
}

RemoteMemory own_memory(const std::byte* start) {
  return {getpid(), reinterpret_cast<std::uint64_t>(start)};
}

}  // namespace

Offset share(LiveWorld& live, const Deed& deed) {
  const std::uint64_t data = deed.data != nullptr && !deed.leaves_data ? deed.bytes : 0;
  const std::uint64_t compared = deed.compared != nullptr ? deed.bytes : 0;
  Arena& arena = live.world().arena();
  Offset place = 0;
  {
    const std::lock_guard lock(live.world());
    place = arena.allocate(sizeof(Stored) + deed.blocks.size_bytes() + data + compared);
  }
  auto& stored = *arena.at<Stored>(place);
  stored = {.memory = deed.memory,
            .blocks = deed.blocks.size(),
            .base = deed.base,
            .op = deed.op,
            .bytes = deed.bytes,
            .compares = deed.compared != nullptr,
            .data = own_memory(deed.leaves_data ? deed.data : nullptr),
            .fetched = own_memory(deed.fetched)};
  std::memcpy(blocks_of(stored), deed.blocks.data(), deed.blocks.size_bytes());
  if (data > 0) std::memcpy(data_of(stored), deed.data, data);
  if (compared > 0) std::memcpy(data_of(stored) + data, deed.compared, compared);
  return place;
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
    carry_out(stored);
    const std::lock_guard lock(world);
    world.drop_message(access);
  }
}

}  // namespace commgauge::emulate
