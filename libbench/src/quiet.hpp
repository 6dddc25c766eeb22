#pragma once

#include <mpi.h>

namespace commgauge::bench {

/// Completes a request while sleeping between polls, so that a rank with nothing to do leaves its
/// core to those that measure. The sleep grows with the time waited, up to a millisecond.
void wait_quietly(MPI_Request& request);

/// Barrier and agreement in one, waited for quietly: the largest `flag` of all ranks.
[[nodiscard]] int agree_quietly(MPI_Comm comm, int flag);

/// Gives the core away for a moment, 0.1 ms.
void sleep_briefly();

}  // namespace commgauge::bench
