#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json_reader.hpp"
#include "commgauge/measurements/measurements.hpp"

namespace commgauge::detail {

/// Texts by name.
[[nodiscard]] std::map<std::string, std::string> read_texts(const Reader& json);

[[nodiscard]] OrderedJson launches_to_json(const std::vector<Launch>& launches);
/// Every launch has to have n ranks.
[[nodiscard]] std::vector<Launch> read_launches(const Reader& launches, int n);

}  // namespace commgauge::detail
