#pragma once

#include <mpi.h>

#include <span>

#include "rank/emulator.hpp"
#include "rank/request.hpp"

/// Requests whose end the program itself tells: MPI calls its functions.
namespace commgauge::emulate {

/// Waits for those among these requests whose functions see to their end (MPIX_Grequest_start).
void wait_for_program(Emulator& e, std::span<simulate::Request* const> requests);
/// Asks the functions of those among these that aren't over, once.
void poll_program(Emulator& e, std::span<simulate::Request* const> requests);
/// Waits for one of them.
void wait_any(Emulator& e, std::span<simulate::Request* const> requests);

// Of one that has functions:

/// @return what the program says went wrong, or MPI_SUCCESS
[[nodiscard]] int ask_program(const Request& over, MPI_Status* status);
void free_by_program(const Request& request);
void cancel_by_program(const Request& request);

}  // namespace commgauge::emulate
