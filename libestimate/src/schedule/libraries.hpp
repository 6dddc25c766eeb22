#pragma once

#include "commgauge/schedule/schedule.hpp"

namespace commgauge::schedule {

/// What MPICH 4.0 takes where each rank is on a host of its own.
[[nodiscard]] Algorithm mpich_algorithm(const Collective& what);

/// What Open MPI 4.1's component tuned takes, or what stands in for it.
[[nodiscard]] Algorithm ompi_algorithm(const Collective& what);

}  // namespace commgauge::schedule
