#pragma once

#include <memory>

#include "commgauge/trace/write/together.hpp"

namespace commgauge::record {

/// The ranks of MPI_COMM_WORLD, by MPI itself, past the recording.
[[nodiscard]] std::unique_ptr<trace::Together> by_mpi();

}  // namespace commgauge::record
