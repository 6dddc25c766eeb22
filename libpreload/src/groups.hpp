#pragma once

#include <mpi.h>

#include <vector>

namespace commgauge::preload {

/// The group's ranks as ranks of MPI_COMM_WORLD, in the group's order.
[[nodiscard]] std::vector<int> ranks_of_job(MPI_Group group);

}  // namespace commgauge::preload
