#pragma once

#include <mpi.h>

#include <functional>

namespace commgauge::bench {

/// Completes a request while sleeping between polls, so that a rank with nothing to do leaves its
/// core to those that measure. The sleep grows with the time waited, up to a millisecond.
/// @param meanwhile  done between polls. Under SMPI it never is, where nothing is polled.
void wait_quietly(MPI_Request& request, const std::function<void()>& meanwhile = {});

/// Barrier and agreement in one, waited for quietly: the largest `flag` of all ranks.
[[nodiscard]] int agree_quietly(MPI_Comm comm, int flag,
                                const std::function<void()>& meanwhile = {});

/// Gives the core away for a moment, 0.1 ms.
void sleep_briefly();

}  // namespace commgauge::bench
