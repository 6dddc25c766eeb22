#pragma once

#include <mpi.h>

#include <memory>

#include "rank/request.hpp"

/// Handles of requests for programs.
namespace commgauge::emulate {

[[nodiscard]] MPI_Request to_handle(std::unique_ptr<Request> request);
/// nullptr for MPI_REQUEST_NULL. @throws InputError  a request of something uncovered
[[nodiscard]] Request* from_handle(MPI_Request handle);
void free_handle(MPI_Request& handle);
[[nodiscard]] std::unique_ptr<Request> take_handle(MPI_Request& handle);
/// Operations that the program has begun, and neither waited for nor freed.
[[nodiscard]] int open_operations();
/// Whether a collective operation is under way, or a program holds a request of one, to be started
/// again.
[[nodiscard]] bool has_collectives();

}  // namespace commgauge::emulate
