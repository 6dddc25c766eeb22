#include <algorithm>
#include <iterator>
#include <vector>

#include "schedule/draft.hpp"

namespace commgauge::schedule {

namespace {

/// The root, and those that follow it.
std::vector<int> members_of(const Draft& d) {
  std::vector<int> members{d.what.root};
  std::ranges::copy(d.peers(d.what.root), std::back_inserter(members));
  return members;
}

}  // namespace

void ring_round(Draft& d) {
  const std::vector<int> members = members_of(d);
  const auto own = std::ranges::find(members, d.rank);
  if (own == members.end()) return;
  const std::uint64_t count = d.what.count(d.rank);
  const int out = d.buffer(count);
  const int in = d.buffer(count);
  d.made.gives = {{out, 0, count}};
  d.made.gets = {{in, 0, count}};
  const int next = std::next(own) == members.end() ? members.front() : *std::next(own);
  const int before = own == members.begin() ? members.back() : *std::prev(own);
  d.exchange(next, {out, 0, count}, before, {in, 0, count});
}

}  // namespace commgauge::schedule
