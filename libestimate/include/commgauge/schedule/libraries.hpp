#pragma once

#include <vector>

#include "commgauge/schedule/decision_tree.hpp"
#include "commgauge/schedule/schedule.hpp"

namespace commgauge::schedule {

/// What MPICH 4.0 takes where each rank is on a host of its own.
[[nodiscard]] Algorithm mpich_algorithm(const Collective& what);
/// DecisionTree::by_size(); by names without the operation's: scatter_ring_allgather.
[[nodiscard]] std::vector<OwnChoice> mpich_by_size(const Collective& what);

/// What Open MPI 4.1's component tuned takes, or what stands in for it.
[[nodiscard]] Algorithm ompi_algorithm(const Collective& what);
/// What it takes, without stand-ins.
[[nodiscard]] std::vector<OwnChoice> ompi_by_size(const Collective& what);

}  // namespace commgauge::schedule
