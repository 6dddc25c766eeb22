#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json_reader.hpp"
#include "commgauge/measurements/launch.hpp"

namespace commgauge::detail {

/// Texts by name.
[[nodiscard]] std::map<std::string, std::string> read_texts(const Reader& json);

/// How ranks' places are written.
enum class PlaceList {
  each,  ///< an object for each rank
  runs   ///< ranks that follow one another on one host, or with the same cores, together
};
[[nodiscard]] OrderedJson launches_to_json(const std::vector<Launch>& launches,
                                           PlaceList places = PlaceList::each);
/// Every launch has to have n ranks, in either list.
[[nodiscard]] std::vector<Launch> read_launches(const Reader& launches, int n);

}  // namespace commgauge::detail
