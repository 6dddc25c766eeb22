#include "collectives/blocks.hpp"

#include <algorithm>
#include <climits>
#include <cstring>

#include "base/requirements.hpp"
#include "messages/communicator.hpp"
#include "messages/tags.hpp"

namespace commgauge::bench {

namespace {

bool is_named(MPI_Datatype type) {
  int integers = 0;
  int addresses = 0;
  int types = 0;
  int combiner = 0;
  check(MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner),
        "MPI_Type_get_envelope");
  return combiner == MPI_COMBINER_NAMED;
}

}  // namespace

// The const_cast lets one class serve send and receive buffers: MPI only reads what it sends.
Blocks::Blocks(const void* buffer, int count, MPI_Datatype type)
    : base_{static_cast<std::byte*>(const_cast<void*>(buffer))}, count_{count}, type_{type} {
  require(count >= 0, "a count is negative (" + std::to_string(count) +
                          " items can't be sent): give the number of items of one rank");
  int item = 0;
  check(MPI_Type_size(type, &item), "MPI_Type_size");
  MPI_Aint lower_bound = 0;
  check(MPI_Type_get_extent(type, &lower_bound, &extent_), "MPI_Type_get_extent");
  item_ = static_cast<std::size_t>(item);
  size_ = {static_cast<std::uint64_t>(count) * item_};
  dense_ = extent_ == item && is_named(type);
}

Part Blocks::of(int rank) const { return {base_ + rank * (count_ * extent_), count_, type_}; }

// In portions, for MPI_Pack counts bytes by int.
void Blocks::pack(std::span<std::byte> bytes, MPI_Comm comm) const {
  const int most = INT_MAX / static_cast<int>(item_);
  for (int done = 0; done < count_;) {
    const int items = std::min(most, count_ - done);
    std::byte* const out = bytes.data() + static_cast<std::size_t>(done) * item_;
    int position = 0;
    check(MPI_Pack(base_ + done * extent_, items, type_, out, items * static_cast<int>(item_),
                   &position, comm),
          "MPI_Pack");
    done += items;
  }
}

void Blocks::unpack(std::span<const std::byte> bytes, int rank, MPI_Comm comm) const {
  const int most = INT_MAX / static_cast<int>(item_);
  for (int done = 0; done < count_;) {
    const int items = std::min(most, count_ - done);
    const std::byte* const in = bytes.data() + static_cast<std::size_t>(done) * item_;
    int position = 0;
    check(MPI_Unpack(in, items * static_cast<int>(item_), &position, of(rank).at + done * extent_,
                     items, type_, comm),
          "MPI_Unpack");
    done += items;
  }
}

void copy_block(const Blocks& from, int from_rank, const Blocks& to, int to_rank, int self,
                MPI_Comm comm) {
  const Part source = from.of(from_rank);
  const Part target = to.of(to_rank);
  if (from.dense() && to.dense() && from.size() == to.size()) {
    if (source.at != target.at) std::memcpy(target.at, source.at, from.size().value);
    return;
  }
  check(MPI_Sendrecv(source.at, source.count, source.type, self, data_tag, target.at, target.count,
                     target.type, self, data_tag, comm, MPI_STATUS_IGNORE),
        "MPI_Sendrecv");
}

}  // namespace commgauge::bench
