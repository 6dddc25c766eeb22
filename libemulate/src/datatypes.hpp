#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace commgauge::emulate {

/// Bytes of data in one element.
[[nodiscard]] std::uint64_t size_of(MPI_Datatype type);

/// Elements as a row of bytes, and back. @pre `packed` has count·size_of(type) bytes
void pack(const void* buffer, int count, MPI_Datatype type, std::byte* packed);
/// @throws MpiFailure  the last element is only half there
void unpack(const std::byte* packed, std::uint64_t bytes, void* buffer, MPI_Datatype type);

/// Whether the program can't free it.
[[nodiscard]] bool is_predefined(MPI_Datatype type);

/// Room for elements of any type, gaps and all.
class Elements {
 public:
  Elements(int count, MPI_Datatype type);
  [[nodiscard]] void* data() { return start_; }

 private:
  std::vector<std::byte> bytes_;
  std::byte* start_;
};

/// Copies elements. Both places may be the same.
void copy(const void* from, int count, MPI_Datatype from_type, void* to, MPI_Datatype to_type);

/// Where element `index` lies.
[[nodiscard]] void* element(void* buffer, long index, MPI_Datatype type);
[[nodiscard]] const void* element(const void* buffer, long index, MPI_Datatype type);

}  // namespace commgauge::emulate
