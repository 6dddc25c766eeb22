#pragma once

#include <cstddef>
#include <random>
#include <span>
#include <utility>

namespace commgauge {

/// Every order is as likely as any other, but for a bias below 2^-50. Portable: std::shuffle
/// differs between libraries.
template <class T>
void shuffle(std::span<T> values, std::mt19937_64& random) {
  for (std::size_t left = values.size(); left > 1; --left) {
    std::swap(values[left - 1], values[random() % left]);
  }
}

}  // namespace commgauge
