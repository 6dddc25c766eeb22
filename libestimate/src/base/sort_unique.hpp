#pragma once

#include <algorithm>
#include <vector>

namespace commgauge {

/// Ascending, each once.
template <class T>
void sort_unique(std::vector<T>& values) {
  std::ranges::sort(values);
  const auto repeated = std::ranges::unique(values);
  values.erase(repeated.begin(), repeated.end());
}

}  // namespace commgauge
