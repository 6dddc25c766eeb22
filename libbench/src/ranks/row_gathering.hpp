#pragma once

#include <vector>

#include "commgauge/measurements/measurements.hpp"
#include "messages/communicator.hpp"

namespace commgauge::bench {

/// By pass and experiment.
void put_in_order(std::vector<Observation>& rows);

/// The rows of all ranks on rank 0, in order; elsewhere nothing. Collective.
[[nodiscard]] std::vector<Observation> gather_rows(const Communicator& comm,
                                                   const std::vector<Observation>& mine);

}  // namespace commgauge::bench
