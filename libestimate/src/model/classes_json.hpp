#pragma once

#include "base/json_reader.hpp"
#include "commgauge/model/machine_classes.hpp"

namespace commgauge::detail {

/// Ranks by runs of those that follow one another and are alike.
[[nodiscard]] OrderedJson as_json(const MachineClasses& classes);

/// @throws InputError  not of `ranks` ranks, or not as it was written; names the place.
[[nodiscard]] MachineClasses read_classes(const Reader& json, int ranks);

}  // namespace commgauge::detail
