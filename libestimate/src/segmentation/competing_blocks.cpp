#include "segmentation/competing_blocks.hpp"

#include <algorithm>
#include <cassert>

#include "base/sort_unique.hpp"

namespace commgauge {
namespace {

/// Up to this distance all compete; from there on distances grow by this factor. In 200 sizes
/// (jumps and kinks, mean over 400) intervals are 106 steps long; 100 if all compete, which takes
/// 1.7 times as long; 121 with a factor of 1.5. Fewer competitors make the test weaker, not wrong.
constexpr std::size_t dense = 16;
constexpr double sparse_growth = 1.15;

/// 1, 2, ... and from `dense` on ever larger steps, below `count`.
std::vector<std::size_t> growing_distances(std::size_t count) {
  std::vector<std::size_t> result;
  for (std::size_t distance = 1; distance < count;) {
    result.push_back(distance);
    const auto next = static_cast<std::size_t>(static_cast<double>(distance) * sparse_growth);
    distance = distance < dense ? distance + 1 : std::max(distance + 1, next);
  }
  return result;
}

/// Last points of the blocks, ascending; the last point of all is always among them.
std::vector<std::size_t> block_ends(std::size_t count, std::size_t h, std::size_t tested) {
  std::vector<std::size_t> ends{tested, count - 1};
  const auto add = [&](std::size_t end) {
    if (end + 1 >= h && end + h < count) ends.push_back(end);
  };
  for (const auto distance : growing_distances(count)) {
    add(distance);
    add(count - 1 - distance);
    if (tested >= distance) add(tested - distance);
    add(tested + distance);
  }
  sort_unique(ends);
  return ends;
}

}  // namespace

CompetingBlocks::CompetingBlocks(std::span<const SizePoint> points, std::size_t min_segment,
                                 std::size_t tested_point) {
  std::size_t first = 0;
  for (const auto end : block_ends(points.size(), min_segment, tested_point)) {
    if (end == tested_point) tested = blocks.size();
    can_end.push_back(end + 1 >= min_segment && end + min_segment < points.size());
    GrowingLine line;
    for (; first <= end; ++first) line.add(points[first]);
    blocks.push_back(line.line());
  }
  assert(count() <= most);
}

double CompetingBlocks::dimensions() const {
  const auto sloped = std::ranges::count_if(blocks, [](const LineBlock& b) { return b.sxx > 0; });
  return static_cast<double>(count()) + static_cast<double>(sloped);
}

}  // namespace commgauge
