#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "segmentation/growing_line.hpp"

namespace commgauge {

/// The points between the neighbours of a break as blocks of neighbouring points, at whose ends the
/// break may lie instead: all ends nearby and near both ends of the points, where segments are
/// short; ever fewer farther away, for there the sums of squares hardly differ from their
/// neighbours'. They don't depend on the times: a test of the position may be conditional on them.
struct CompetingBlocks {
  std::vector<LineBlock> blocks;
  std::vector<char> can_end;  ///< whether a break may lie behind the block
  std::size_t tested{};       ///< the block behind which the tested position is

  /// @param tested_point  last point of the left segment. @param min_segment  points
  CompetingBlocks(std::span<const SizePoint> points, std::size_t min_segment,
                  std::size_t tested_point);

  [[nodiscard]] std::size_t count() const { return blocks.size(); }

  /// Independent deviations that the blocks' means and slopes have.
  [[nodiscard]] double dimensions() const;

  /// Blocks never are more. Distances up to 2^48 in four directions take 4 (15 + ln(2^44) /
  /// ln 1.15) = 933 at most.
  static constexpr std::size_t most = 1000;
};

}  // namespace commgauge
