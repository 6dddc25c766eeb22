#pragma once

#include <mpi.h>

#include "arguments/groups.hpp"

namespace commgauge::emulate {

using preload::ranks_of_job;
/// All ranks of the job, for MPI itself.
[[nodiscard]] inline MPI_Comm world() { return preload::job_communicators().world; }

}  // namespace commgauge::emulate
