#pragma once

#include <vector>

#include "commgauge/measurements/measurements.hpp"
#include "communicator.hpp"

namespace commgauge::bench {

/// The rows of all ranks on rank 0, by pass and experiment; elsewhere nothing. Collective.
[[nodiscard]] std::vector<Observation> gather_rows(const Communicator& comm,
                                                   const std::vector<Observation>& mine);

}  // namespace commgauge::bench
