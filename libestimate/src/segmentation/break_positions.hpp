#pragma once

#include <cstddef>
#include <span>

#include "segmentation/partition_search.hpp"

namespace commgauge {

/// What all the lines of a series tell of its noise.
struct SeriesNoise {
  double rss{};    ///< weighted
  double floor{};  ///< that no sum of squares is believed to be below
  double dof{};    ///< observations less two for each line
};

/// A break among the points of its two segments and of those next to them.
struct BreakSurroundings {
  std::size_t best{};   ///< last point of the left segment
  bool break_before{};  ///< the points begin with the segment before the left one
  bool break_behind{};  ///< they end with the segment behind the right one
  [[nodiscard]] bool has_neighbours() const { return break_before || break_behind; }
};

/// Last points of the left segment.
struct BreakPositions {
  std::size_t low{};
  std::size_t high{};
};

/// All places of the break between two lines that a likelihood-ratio test doesn't exclude, as one
/// range. points.size() - 1 is among them where one line may do.
///
/// The test of a place: how much smaller would the sum of squares be with the break at the best
/// place? Given the two lines through this place and the total sum of squares, which are sufficient
/// there, the direction of the residuals is uniform whatever the lines are: the distribution of the
/// gain is simulated, and the test is exact for normal noise, be the change a jump or a kink, large
/// or small (Worsley 1986; Knowles, Siegmund and Zhang 1991).
///
/// The breaks on both sides move along: for each place they are where they fit best.
///
/// @pre x ascending, at least 2 * min_segment points, 0 < confidence < 1, noise.dof > 0.
[[nodiscard]] BreakPositions break_positions(std::span<const SizePoint> points,
                                             const BreakSurroundings& around,
                                             std::size_t min_segment, const SeriesNoise& noise,
                                             double confidence);

}  // namespace commgauge
