#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "commgauge/measurements/measurements.hpp"

namespace commgauge {

/// Which rows of one launch stand out among those of the same experiment in other passes, in the
/// order of the rows. What was measured while connections opened (Experiment::processes) is left
/// out: it can't be measured again.
[[nodiscard]] std::vector<std::size_t> rows_that_stand_out(std::span<const Observation> rows);

/// Puts `again`, the same experiment measured once more, in the place of a row that stood out,
/// unless it stands out itself. The row's lost blocks stay counted.
/// @return whether it did.
bool replace_row(std::span<Observation> rows, std::size_t row, const Observation& again);

}  // namespace commgauge
