#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "arguments/places.hpp"

namespace commgauge::emulate {

using preload::element;
using preload::is_predefined;
using preload::plain_size;
using preload::size_of;

/// Elements as a row of bytes, and back. `buffer` may be MPI_BOTTOM.
/// @pre `packed` has count·size_of(type) bytes
/// @throws MpiFailure  what MPI says against the datatype
void pack(const void* buffer, MPI_Count count, MPI_Datatype type, std::byte* packed);
/// Of the last element only the first part may be there: the rest of it stays as it is.
void unpack(const std::byte* packed, std::uint64_t bytes, void* buffer, MPI_Datatype type);

/// Whether so many bytes are no whole number of basic elements, where MPI looks at these: of types
/// with gaps. @pre bytes > 0
[[nodiscard]] bool ends_within_element(std::uint64_t bytes, MPI_Datatype type);

/// What MPI says against elements of this datatype in a message, or MPI_SUCCESS: that it is not
/// committed, for one.
[[nodiscard]] int error_of(MPI_Datatype type);

/// Whether MPI's own operator takes such elements. One of the program's takes all. In a job that
/// sessions have started that isn't known: MPI would end it.
[[nodiscard]] bool takes(MPI_Op op, MPI_Datatype type);

/// What the elements are, of MPI's types of one number each.
enum class Element : std::uint8_t { unknown, integer, floating, complex };
[[nodiscard]] Element element_of(MPI_Datatype type);
/// "integers"
[[nodiscard]] const char* name_of(Element element);

/// The same data, for as long as the caller wants, whatever the program does with `type`. None of
/// its attributes, whose callbacks are not for the emulation to call. MPI_Type_free it.
[[nodiscard]] MPI_Datatype keep(MPI_Datatype type);

/// Room for elements of any type, gaps and all.
class Elements {
 public:
  Elements(MPI_Count count, MPI_Datatype type);
  [[nodiscard]] void* data() { return start_; }

 private:
  std::vector<std::byte> bytes_;
  std::byte* start_;
};

/// Copies elements. Both places may be the same.
void copy(const void* from, MPI_Count count, MPI_Datatype from_type, void* to,
          MPI_Datatype to_type);

}  // namespace commgauge::emulate
