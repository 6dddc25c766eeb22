#pragma once

#include <mpi.h>

#include <cstdint>

namespace commgauge::preload {

/// Bytes of data in one element.
[[nodiscard]] std::uint64_t size_of(MPI_Datatype type);

/// The same, of a predefined type that memcpy copies, without gaps inside or between two elements;
/// 0 for any other type.
[[nodiscard]] std::uint64_t plain_size(MPI_Datatype type);

/// Whether the program can't free it.
[[nodiscard]] bool is_predefined(MPI_Datatype type);

/// Where element `index` lies.
[[nodiscard]] void* element(void* buffer, MPI_Count index, MPI_Datatype type);
[[nodiscard]] const void* element(const void* buffer, MPI_Count index, MPI_Datatype type);

/// A part of a buffer in MPI's terms.
struct Place {
  void* buffer{};
  MPI_Count count{};
  MPI_Datatype type{MPI_BYTE};
};
[[nodiscard]] std::uint64_t bytes_of(const Place& place);

}  // namespace commgauge::preload
