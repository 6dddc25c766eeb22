#pragma once

#include <filesystem>

#include "commgauge/base/error.hpp"
#include "commgauge/trace/events/trace.hpp"

namespace commgauge::trace {

/// Writes a whole trace in one process. Its `remarks` are kept.
/// @throws InputError  the directory is there and not empty, the disk is full, the trace is wrong
///   (which rank, which event, why).
void write(const Trace& trace, const std::filesystem::path& directory);

}  // namespace commgauge::trace
