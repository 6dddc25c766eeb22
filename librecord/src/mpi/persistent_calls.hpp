#pragma once

#include <mpi.h>

/// Persistent collective operations are in MPI since 4.0. Open MPI 4, which has MPI 3.1, gives them
/// names of its own. PREFIX: P, or nothing.
#if MPI_VERSION >= 4
#define COMMGAUGE_PERSISTENT(PREFIX, NAME) PREFIX##MPI_##NAME##_init
#else
#include <mpi-ext.h>
#define COMMGAUGE_PERSISTENT(PREFIX, NAME) PREFIX##MPIX_##NAME##_init
#endif
