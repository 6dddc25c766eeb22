#include "datatypes.hpp"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "commgauge/error.hpp"
#include "emulator.hpp"

namespace commgauge::emulate {

namespace {

/// Of a predefined type without gaps, inside an item or between two; 0 for any other.
std::uint64_t plain_size(MPI_Datatype type) {
  static std::unordered_map<MPI_Datatype, std::uint64_t> known;
  if (const auto found = known.find(type); found != known.end()) return found->second;
  if (!is_predefined(type)) return 0;
  MPI_Aint lower = 0;
  MPI_Aint true_extent = 0;
  PMPI_Type_get_true_extent(type, &lower, &true_extent);
  MPI_Aint lower_bound = 0;
  MPI_Aint extent = 0;
  PMPI_Type_get_extent(type, &lower_bound, &extent);
  int size = 0;
  PMPI_Type_size(type, &size);
  const bool dense = lower == 0 && lower_bound == 0 && true_extent == size && extent == size;
  return known[type] = dense ? static_cast<std::uint64_t>(size) : 0;
}

int as_int(std::uint64_t bytes) {
  if (bytes > static_cast<std::uint64_t>(std::numeric_limits<int>::max())) {
    throw InputError("a message of " + std::to_string(bytes) +
                     " bytes in a derived datatype can't be emulated (above 2 GiB): send it in "
                     "parts");
  }
  return static_cast<int>(bytes);
}

}  // namespace

bool is_predefined(MPI_Datatype type) {
  int integers = 0;
  int addresses = 0;
  int types = 0;
  int combiner = 0;
  PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  return combiner == MPI_COMBINER_NAMED;
}

std::uint64_t size_of(MPI_Datatype type) {
  if (const std::uint64_t size = plain_size(type); size > 0) return size;
  MPI_Count size = 0;
  PMPI_Type_size_x(type, &size);
  return static_cast<std::uint64_t>(size);
}

void pack(const void* buffer, int count, MPI_Datatype type, std::byte* packed) {
  const std::uint64_t bytes = static_cast<std::uint64_t>(count) * size_of(type);
  if (bytes == 0) return;
  if (plain_size(type) > 0 && buffer != MPI_BOTTOM) {
    std::memcpy(packed, buffer, bytes);
    return;
  }
  int position = 0;
  PMPI_Pack(buffer, count, type, packed, as_int(bytes), &position, MPI_COMM_WORLD);
}

void unpack(const std::byte* packed, std::uint64_t bytes, void* buffer, MPI_Datatype type) {
  if (bytes == 0) return;
  if (plain_size(type) > 0 && buffer != MPI_BOTTOM) {
    std::memcpy(buffer, packed, bytes);
    return;
  }
  const std::uint64_t size = size_of(type);
  if (bytes % size != 0) throw MpiFailure{MPI_COMM_WORLD, MPI_ERR_TYPE};
  int position = 0;
  PMPI_Unpack(packed, as_int(bytes), &position, buffer, static_cast<int>(bytes / size), type,
              MPI_COMM_WORLD);
}

Elements::Elements(int count, MPI_Datatype type) {
  MPI_Aint lower = 0;
  MPI_Aint true_extent = 0;
  MPI_Aint extent = 0;
  MPI_Aint ignored = 0;
  PMPI_Type_get_true_extent(type, &lower, &true_extent);
  PMPI_Type_get_extent(type, &ignored, &extent);
  const MPI_Aint span = std::max<MPI_Aint>(0, count - 1) * std::abs(extent) + true_extent;
  bytes_.resize(static_cast<std::size_t>(std::max<MPI_Aint>(span, 1)));
  start_ = bytes_.data() - lower;
}

void copy(const void* from, int count, MPI_Datatype from_type, void* to, MPI_Datatype to_type) {
  if (from == to) return;
  const std::uint64_t bytes = static_cast<std::uint64_t>(count) * size_of(from_type);
  std::vector<std::byte> packed(bytes);
  pack(from, count, from_type, packed.data());
  unpack(packed.data(), bytes, to, to_type);
}

void* element(void* buffer, long index, MPI_Datatype type) {
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  PMPI_Type_get_extent(type, &lower, &extent);
  return static_cast<std::byte*>(buffer) + index * extent;
}

const void* element(const void* buffer, long index, MPI_Datatype type) {
  return element(const_cast<void*>(buffer), index, type);
}

}  // namespace commgauge::emulate
