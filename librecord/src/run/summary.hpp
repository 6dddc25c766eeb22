#pragma once

#include <set>
#include <string>
#include <vector>

#include "commgauge/trace/events/trace.hpp"

/// What a recording lacks, for the user.
namespace commgauge::record {

/// @param of_ranks  how many threads each had at most
/// @return empty: none had more than one
[[nodiscard]] std::string text_of_threads(const std::vector<std::string>& of_ranks);

/// @param all  what a replay will leave out. @return empty: nothing
[[nodiscard]] std::string text_of_left_out(const std::set<std::string>& all);

/// The archive says it, too.
[[nodiscard]] std::vector<trace::Remark> remarks_of(const std::set<std::string>& left_out);

}  // namespace commgauge::record
