#pragma once

#include <filesystem>

#include "commgauge/base/error.hpp"
#include "commgauge/trace/events/trace.hpp"

namespace commgauge::trace {

/// Reads an OTF2 archive: what trace::write() or Writer wrote exactly, others' (Score-P's,
/// EZTrace's) as far as they go. What had to be repaired or assumed is counted in `remarks`.
///
/// @param archive  its directory, or the anchor file in it (`traces.otf2` or another `.otf2`).
/// @throws InputError  there is none, it is unfinished or damaged, or it leaves out what can't be
///   assumed: with rank, event and reason.
[[nodiscard]] Trace read(const std::filesystem::path& archive);

}  // namespace commgauge::trace
