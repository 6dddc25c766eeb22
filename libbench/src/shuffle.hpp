#pragma once

#include <cstddef>
#include <random>
#include <utility>
#include <vector>

namespace commgauge::bench {

/// Portable: std::shuffle differs between libraries.
template <class T>
void shuffle(std::vector<T>& values, std::mt19937_64& random) {
  for (std::size_t left = values.size(); left > 1; --left) {
    std::swap(values[left - 1], values[random() % left]);
  }
}

}  // namespace commgauge::bench
