#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <ranges>
#include <vector>

#include "commgauge/base/index.hpp"

namespace commgauge {

/// Labels as numbers from 0 on, in the order in which they come first. O(n log n).
template <class Labels>
[[nodiscard]] std::vector<int> numbered(const Labels& labels) {
  std::map<std::ranges::range_value_t<Labels>, int> known;
  std::vector<int> numbers;
  for (const auto& label : labels) {
    numbers.push_back(known.try_emplace(label, static_cast<int>(known.size())).first->second);
  }
  return numbers;
}

/// Which places have each number, ascending.
[[nodiscard]] inline std::vector<std::vector<int>> places_of_numbers(
    const std::vector<int>& numbers) {
  std::vector<std::vector<int>> places(numbers.empty() ? 0 : at(std::ranges::max(numbers)) + 1);
  for (std::size_t place = 0; place < numbers.size(); ++place) {
    places[at(numbers[place])].push_back(static_cast<int>(place));
  }
  return places;
}

}  // namespace commgauge
