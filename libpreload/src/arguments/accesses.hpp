#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>

namespace commgauge::preload {

/// What a call says that accesses another rank's window.
struct AccessArguments {
  struct Data {
    const void* buffer{};
    MPI_Count count{};
    MPI_Datatype type{MPI_BYTE};
  };
  struct Target {
    int rank;
    MPI_Aint displacement;
    MPI_Count count;
    MPI_Datatype type;
  };
  Data origin;
  std::optional<Data> result;
  Target target;
  MPI_Op op;  ///< MPI_REPLACE puts, MPI_NO_OP gets
  const void* compared{};
};

/// What travels of it [bytes].
struct AccessSizes {
  std::uint64_t there{};
  std::uint64_t back{};
  std::uint64_t reached{};  ///< of the target's memory; 0: there is nothing to be done
};
[[nodiscard]] AccessSizes sizes_of(const AccessArguments& what);

}  // namespace commgauge::preload
