#include "rank/communicator.hpp"

#include <algorithm>

namespace commgauge::emulate {

std::vector<int> Communicator::members() const {
  std::vector<int> all = beside;
  all.insert(all.end(), peers.begin(), peers.end());
  return all;
}

std::vector<int> Communicator::sorted_members() const {
  std::vector<int> all = members();
  if (is_inter) std::ranges::sort(all);
  return all;
}

}  // namespace commgauge::emulate
