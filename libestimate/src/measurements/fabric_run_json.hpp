#pragma once

#include <vector>

#include "base/json_reader.hpp"
#include "commgauge/measurements/fabric_run.hpp"

namespace commgauge::detail {

[[nodiscard]] OrderedJson fabric_to_json(const std::vector<FabricRun>& runs);

/// @throws InputError  a launch that isn't there, a host that sends or receives two messages of a
/// round, times that aren't of all pairs or repetitions; names the place.
[[nodiscard]] std::vector<FabricRun> read_fabric_runs(const Reader& json, int launches);

}  // namespace commgauge::detail
