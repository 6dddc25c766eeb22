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

/// All positions of the break between two lines that a likelihood-ratio test doesn't exclude, as
/// one range. points.size() - 1 is among them where one line may do.
///
/// With the break behind point p, independent normal errors of one variance and weights w, the
/// likelihood is greatest for the least-squares lines on both sides: -2 ln L(p) is n ln RSS(p) and
/// a constant. So, given RSS(p), the likelihood ratio of p against the best position grows with the
/// gain RSS(p) - min RSS, and a p is excluded whose gain is too large for chance.
///
/// Chance, if the break is behind p: the two lines through p and RSS(p) are sufficient for all that
/// is unknown, so given these the residuals have any direction with the same probability, whatever
/// the true lines and variance are. Their gains are simulated, and P(gain >= observed) <= 1 -
/// confidence excludes p. That is exact for jumps and kinks, large or small (Worsley 1986; Knowles,
/// Siegmund and Zhang 1991), as a Monte Carlo test is exact with any number of draws.
///
/// Simulation is spared where gain = part * RSS(p) is out of the question: two partitions into two
/// lines have the lines through all points in common, so moving the break adds 4 - 2 = 2 dimensions
/// to those that are fitted, whose share of the residuals is Beta(1, dof / 2 - 1):
/// P(gain > part * RSS(p)) <= (1 - part)^(dof / 2 - 1) for each other position.
///
/// The breaks on both sides move along: for each position they are where they fit best. A second
/// test asks whether all of them together gain more than by chance: no more than further breaks in
/// the two segments would. That bound is by simulation, not by proof (docs/accuracy.md), and the
/// two tests share the error probability.
///
/// @pre x ascending, at least 2 * min_segment points, 0 < confidence < 1, noise.dof > 0.
[[nodiscard]] BreakPositions break_positions(std::span<const SizePoint> points,
                                             const BreakSurroundings& around,
                                             std::size_t min_segment, const SeriesNoise& noise,
                                             double confidence);

}  // namespace commgauge
