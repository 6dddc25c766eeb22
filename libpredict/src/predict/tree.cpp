#include "commgauge/predict/tree.hpp"

#include <algorithm>
#include <bit>

namespace commgauge {

std::vector<Branch> binomial_tree(int ranks, int root) {
  const auto n = static_cast<unsigned>(ranks);
  const auto rank = [&](unsigned relative) {
    return static_cast<int>((relative + static_cast<unsigned>(root)) % n);
  };
  std::vector<Branch> branches;
  if (n < 2) return branches;
  for (unsigned parent = 0; parent < n; ++parent) {
    const unsigned lowest_bit = parent & (~parent + 1);
    unsigned step = parent == 0 ? std::bit_floor(n - 1) : lowest_bit / 2;
    for (; step > 0; step /= 2) {
      if (parent + step >= n) continue;
      const unsigned subtree = std::min(step, n - parent - step);
      branches.push_back({rank(parent), rank(parent + step), static_cast<int>(subtree)});
    }
  }
  return branches;
}

}  // namespace commgauge
