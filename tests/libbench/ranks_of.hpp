#pragma once

#include <mpi.h>

namespace commgauge::bench {

[[nodiscard]] inline int ranks_of(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

}  // namespace commgauge::bench
