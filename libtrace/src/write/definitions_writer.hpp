#pragma once

#include <otf2/otf2.h>

#include "commgauge/trace/write/about.hpp"
#include "write/unify.hpp"

namespace commgauge::trace {

/// What an archive's events speak of, for all ranks: names, hosts, ranks, communicators, the
/// metric.
/// @param remarks  of an import, which stay with its trace
void write_definitions(OTF2_GlobalDefWriter* writer, const About& about, const Report& all,
                       const std::vector<Remark>& remarks);

/// What this process's numbers are in those of all.
void write_numbers(OTF2_DefWriter* writer, const Unified::Numbers& numbers);

}  // namespace commgauge::trace
