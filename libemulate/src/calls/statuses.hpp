#pragma once

#include <mpi.h>

#include <cstdint>

#include "rank/request.hpp"

/// Statuses as MPI has them, or nothing for MPI_STATUS_IGNORE. MPI_ERROR stays as it is: calls that
/// end several operations set it.
namespace commgauge::emulate {

/// @param source  in the communicator
void fill(MPI_Status* status, int source, int tag, std::uint64_t bytes);
/// Of an operation that is over.
void fill(MPI_Status* status, const Request& request);
/// Of a message that was probed.
void fill(MPI_Status* status, const Communicator& comm, const Message& message);
/// Of no operation at all: what MPI calls an empty status. With MPI_ERROR.
void fill_empty(MPI_Status* status);

}  // namespace commgauge::emulate
