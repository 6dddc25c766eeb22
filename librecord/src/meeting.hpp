#pragma once

#include <cstdint>

#include "job.hpp"

/// What MPI itself does among ranks when something is made of them, as far as it costs.
namespace commgauge::record {

void write_barrier(Recorder& recorder, std::uint32_t context, int ranks);
/// All members come, and go on together.
void synchronise(Recorder& recorder, std::uint32_t context, int ranks);

}  // namespace commgauge::record
