#pragma once

#include <set>
#include <string>

#include "commgauge/trace/write/together.hpp"

/// What the ranks of a job find out together. Collective.
namespace commgauge::record {

/// @return the problem of the lowest rank that has one, the same at all; empty: none has
[[nodiscard]] std::string agree(trace::Together& together, const std::string& problem);

/// @param own  lines of this rank
/// @return at rank 0 those of all ranks
[[nodiscard]] std::set<std::string> united(trace::Together& together,
                                           const std::set<std::string>& own);

}  // namespace commgauge::record
