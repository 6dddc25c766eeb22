#include "mpi/layout.hpp"

#include <cstddef>
#include <unordered_map>

#include "mpi/datatypes.hpp"
#include "mpi/real_calls.hpp"
#include "system/lasting.hpp"

namespace commgauge::emulate {

namespace {

void append(std::vector<Block>& blocks, const Block& next) {
  if (!blocks.empty() &&
      blocks.back().offset + static_cast<std::int64_t>(blocks.back().bytes) == next.offset) {
    blocks.back().bytes += next.bytes;
  } else {
    blocks.push_back(next);
  }
}

/// Each byte of an element's memory is told where it is, a byte of that at a time: packing says
/// which of them are data, of every kind of datatype.
std::vector<std::uint64_t> packed_from(MPI_Datatype type, MPI_Aint lower, std::uint64_t extent) {
  std::vector<std::byte> memory(extent);
  std::vector<std::byte> packed(size_of(type));
  std::vector<std::uint64_t> places(packed.size());
  for (unsigned shift = 0; shift < 64 && (extent - 1) >> shift > 0; shift += 8) {
    for (std::uint64_t i = 0; i < extent; ++i) memory[i] = static_cast<std::byte>(i >> shift);
    pack(memory.data() - lower, 1, type, packed.data());
    for (std::size_t k = 0; k < packed.size(); ++k) {
      places[k] |= std::to_integer<std::uint64_t>(packed[k]) << shift;
    }
  }
  return places;
}

std::vector<Block> find_layout(MPI_Datatype type) {
  if (const std::uint64_t size = plain_size(type); size > 0) return {{0, size}};
  if (size_of(type) == 0) return {};
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  PMPI_Type_get_true_extent(type, &lower, &extent);
  std::vector<Block> blocks;
  for (const std::uint64_t place : packed_from(type, lower, static_cast<std::uint64_t>(extent))) {
    append(blocks, {lower + static_cast<std::int64_t>(place), 1});
  }
  return blocks;
}

/// Of one element each.
std::unordered_map<MPI_Datatype, std::vector<Block>>& layouts() {
  static auto& known = preload::lasting<std::unordered_map<MPI_Datatype, std::vector<Block>>>();
  return known;
}

const std::vector<Block>& layout_of_one(MPI_Datatype type) {
  const auto found = layouts().find(type);
  return found != layouts().end() ? found->second
                                  : layouts().emplace(type, find_layout(type)).first->second;
}

}  // namespace

void forget_layout(MPI_Datatype type) { layouts().erase(type); }

std::vector<Block> layout_of(std::int64_t count, MPI_Datatype type) {
  const std::vector<Block>& one = layout_of_one(type);
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  PMPI_Type_get_extent(type, &lower, &extent);
  if (one.size() == 1 && static_cast<std::int64_t>(one[0].bytes) == extent) {
    return {{one[0].offset, one[0].bytes * static_cast<std::uint64_t>(count)}};
  }
  std::vector<Block> all;
  for (std::int64_t i = 0; i < count; ++i) {
    for (const Block& block : one) append(all, {block.offset + i * extent, block.bytes});
  }
  return all;
}

MPI_Datatype base_of(MPI_Datatype type) {
  if (is_predefined(type)) return type;
  int integers = 0;
  int addresses = 0;
  int types = 0;
  int combiner = 0;
  PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  // Some are made of numbers alone (MPI_Type_create_f90_real).
  if (types == 0) return type;
  std::vector<int> numbers(static_cast<std::size_t>(integers));
  std::vector<MPI_Aint> places(static_cast<std::size_t>(addresses));
  std::vector<MPI_Datatype> parts(static_cast<std::size_t>(types));
  PMPI_Type_get_contents(type, integers, addresses, types, numbers.data(), places.data(),
                         parts.data());
  const MPI_Datatype base = base_of(parts.front());
  for (MPI_Datatype& part : parts) {
    if (part != base && !is_predefined(part)) real::Type_free(&part);
  }
  return base;
}

}  // namespace commgauge::emulate
