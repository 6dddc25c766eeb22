#pragma once

#include <string>

#include "replay/outcome/outcome.hpp"

namespace commgauge::tools {

/// "on the machine of the model (lmo)", or on which topology.
[[nodiscard]] std::string machine_text(const Outcome& outcome);

/// Which program, with how many ranks, on which machine: a line; and the time with its interval.
[[nodiscard]] std::string time_text(const Outcome& outcome);

/// The time, how well the ranks are used, and a line for each rank.
[[nodiscard]] std::string result_text(const Outcome& outcome);

/// Which ranks send each other how much: the pairs with the most bytes, and of few ranks all.
/// @pre Options::counts_traffic
[[nodiscard]] std::string matrix_text(const Outcome& outcome);

}  // namespace commgauge::tools
