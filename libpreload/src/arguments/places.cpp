#include "arguments/places.hpp"

#include "system/lasting.hpp"

#include <cstddef>
#include <unordered_map>

namespace commgauge::preload {

std::uint64_t plain_size(MPI_Datatype type) {
  static MPI_Datatype latest = MPI_DATATYPE_NULL;
  static std::uint64_t latest_size = 0;
  if (type == latest) return latest_size;
  static auto& known = lasting<std::unordered_map<MPI_Datatype, std::uint64_t>>();
  if (const auto found = known.find(type); found != known.end()) {
    latest = type;
    return latest_size = found->second;
  }
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

bool is_predefined(MPI_Datatype type) {
  int combiner = 0;
#if MPI_VERSION >= 4
  // The function without large counts knows no types that are made with such.
  MPI_Count integers = 0;
  MPI_Count addresses = 0;
  MPI_Count counts = 0;
  MPI_Count types = 0;
  PMPI_Type_get_envelope_c(type, &integers, &addresses, &counts, &types, &combiner);
#else
  int integers = 0;
  int addresses = 0;
  int types = 0;
  PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
#endif
  return combiner == MPI_COMBINER_NAMED;
}

std::uint64_t size_of(MPI_Datatype type) {
  if (const std::uint64_t size = plain_size(type); size > 0) return size;
  MPI_Count size = 0;
  PMPI_Type_size_x(type, &size);
  return static_cast<std::uint64_t>(size);
}

void* element(void* buffer, MPI_Count index, MPI_Datatype type) {
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  PMPI_Type_get_extent(type, &lower, &extent);
  return static_cast<std::byte*>(buffer) + index * extent;
}

const void* element(const void* buffer, MPI_Count index, MPI_Datatype type) {
  return element(const_cast<void*>(buffer), index, type);
}

std::uint64_t bytes_of(const Place& place) {
  return static_cast<std::uint64_t>(place.count) * size_of(place.type);
}

}  // namespace commgauge::preload
