#pragma once

#include <cstdint>

#include "recorder/recorder.hpp"

/// What MPI itself does among ranks when something is made of them, as far as it costs.
namespace commgauge::record {

/// One of MPI's own operations, of so many ranks.
void write_own(Recorder& recorder, std::uint32_t context, schedule::Operation operation, int ranks,
               int root = 0, std::uint64_t bytes = 0, std::uint32_t request = trace::no_request);
/// All members come to it.
void write_meeting(Recorder& recorder, std::uint32_t context);
void write_barrier(Recorder& recorder, std::uint32_t context, int ranks);
/// All members come, and go on together.
void synchronise(Recorder& recorder, std::uint32_t context, int ranks);

}  // namespace commgauge::record
