#pragma once

#include <string>
#include <vector>

#include "base/json_reader.hpp"
#include "commgauge/model/parameters/fabric.hpp"

namespace commgauge::detail {

[[nodiscard]] OrderedJson as_json(const Fabric& fabric);

/// @param hosts  of the file's ranks
/// @throws InputError  other hosts, groups that overlap or a parent that doesn't hold its group,
/// times that aren't positive or in order, replicates of other lengths; names the place.
[[nodiscard]] Fabric read_fabric(const Reader& json, const std::vector<std::string>& hosts);

}  // namespace commgauge::detail
