#include "segmentation/break_positions.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "segmentation/gain_simulation.hpp"
#include "segmentation/growing_line.hpp"

namespace commgauge {
namespace {

constexpr std::uint64_t seed = 20000;  ///< any; intervals are the same on every call

/// How many draws: so many are expected above the critical value, 504 in all at 95 %. The level is
/// exact with any number (the observed gain counts as one more draw); this one settles the critical
/// probability to 1 / sqrt(25.6) = 20 % of itself. A quarter of them makes intervals 5 % longer,
/// four times as many 0.5 % shorter (one break in 20 sizes, jumps and kinks, mean over 6 400).
constexpr double few_tail_draws = 25.6;
constexpr std::size_t fewest_draws = 256;  ///< from 90 % down
constexpr std::size_t most_draws = 8192;   ///< from 99.7 % up: what a test may cost

/// Of the error probability, for the bound that spares simulating positions out of the question.
constexpr double bound_share = 0.01;
/// Of it, for the test of this break and its neighbours together. Two breaks in 20 sizes, mean over
/// 7 200: intervals are shortest so, 9.0 steps; without this test 10.7, with a share of 0.05 9.4,
/// of 0.8 9.3. They hold the break in 97.5 to 99 %.
constexpr double neighbours_share = 0.2;
/// On one side of the best position, before the steps get finer: what a long series may cost. Up to
/// so many positions on a side each is tested. Between larger steps one that holds may be missed,
/// which makes intervals too short: by 3 % in 200 sizes if this is 20.
constexpr std::size_t most_tests = 200;

/// Lines between which the break lies: points first ... end - 1.
struct Neighbours {
  std::size_t first{};
  std::size_t end{};
  double rss{};  ///< with the segments beyond them, but without the rest of the series
};

/// A partition of points first ... end - 1 into two lines.
struct Split {
  std::size_t second{};  ///< first point of the second line
  double rss{};
};

/// @pre at least 2 * h points
Split best_split(std::span<const SizePoint> points, std::size_t first, std::size_t end,
                 std::size_t h) {
  std::vector<double> before;
  GrowingLine up;
  for (std::size_t i = first; i + h < end; ++i) {
    up.add(points[i]);
    before.push_back(up.rss());
  }
  Split best{first, std::numeric_limits<double>::infinity()};
  GrowingLine down;
  for (std::size_t i = end; i-- > first + h;) {
    down.add(points[i]);
    if (i + h > end) continue;
    const double rss = before[i - 1 - first] + down.rss();
    if (rss < best.rss) best = {i, rss};
  }
  return best;
}

Split no_split(std::span<const SizePoint> points, std::size_t first, std::size_t end) {
  GrowingLine line;
  for (std::size_t i = first; i < end; ++i) line.add(points[i]);
  return {first, line.rss()};
}

/// The tests of all positions of one break.
class PositionTests {
 public:
  PositionTests(std::span<const SizePoint> points, const BreakSurroundings& around, std::size_t h,
                const SeriesNoise& noise, double confidence)
      : points_{points},
        around_{around},
        h_{h},
        noise_{noise},
        risk_{1 - confidence},
        draws_{
            std::clamp(static_cast<std::size_t>(few_tail_draws / risk_), fewest_draws, most_draws) /
            lanes},
        best_rss_{neighbours(around.best).rss} {}

  [[nodiscard]] std::size_t first_position() const { return around_.break_before ? 2 * h_ - 1 : 0; }

  [[nodiscard]] std::size_t last_position() const {
    return points_.size() - 1 - (around_.break_behind ? 2 * h_ : 0);
  }

  [[nodiscard]] bool holds(std::size_t position) {
    const auto near = neighbours(position);
    const auto window = points_.subspan(near.first, near.end - near.first);
    const GainSimulation simulation(window, h_, position - near.first);
    const Reached reached{simulation.observed(),
                          around_.has_neighbours() ? near.rss - best_rss_ : 0};
    if (!(reached.moved > 0 || reached.anywhere > 0)) return true;
    const double rss = std::max(
        {noise_.rss + (near.rss - best_rss_), noise_.floor, std::numeric_limits<double>::min()});
    return !is_out_of_question(reached.moved / rss, window.size()) &&
           is_simulated(simulation, reached, rss);
  }

 private:
  /// The breaks on both sides move along with this one.
  [[nodiscard]] Neighbours neighbours(std::size_t position) const {
    const auto before = around_.break_before ? best_split(points_, 0, position + 1, h_)
                                             : no_split(points_, 0, position + 1);
    const auto behind = around_.break_behind ? best_split(points_, position + 1, points_.size(), h_)
                                             : no_split(points_, position + 1, points_.size());
    return {before.second, around_.break_behind ? behind.second : points_.size(),
            before.rss + behind.rss};
  }

  /// Whatever the lines are, a position gains the squares of two of the residuals' dimensions at
  /// most: P(gain > part * rss) <= (1 - part)^(dof / 2 - 1); and there are so many positions.
  [[nodiscard]] bool is_out_of_question(double part, std::size_t positions) const {
    const double one = std::pow(std::max(0.0, 1 - part), std::max(0.0, noise_.dof / 2 - 1));
    return one * static_cast<double>(positions) < bound_share * risk_;
  }

  /// How much smaller the sum of squares is
  struct Reached {
    double moved{};     ///< with this break at its best position
    double anywhere{};  ///< with its neighbours at theirs, too
  };

  /// Whether gains like these come about by chance. Moving the neighbours, too, can't gain more
  /// than further breaks in their place.
  [[nodiscard]] bool is_simulated(const GainSimulation& simulation, const Reached& reached,
                                  double rss) {
    const double all = risk_ * static_cast<double>(draws_ * lanes + 1);
    const double share = around_.has_neighbours() ? neighbours_share : 0;
    const double dof = noise_.dof + 4 - simulation.dimensions();
    random_.seed(seed + 1);
    double moved = 1;
    double anywhere = 1;
    const auto holds = [&] {
      return moved > all * (1 - bound_share - share) && anywhere > all * share;
    };
    for (std::size_t i = 0; i < draws_ && !holds(); ++i) {
      const auto& row = normals(i);
      times_.assign(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(simulation.blocks()));
      const Gains gains = simulation.simulated(times_, squares_elsewhere(dof), rss);
      for (std::size_t l = 0; l < lanes; ++l) {
        moved += gains.moved[l] >= reached.moved ? 1 : 0;
        anywhere += gains.split[l] >= reached.anywhere ? 1 : 0;
      }
    }
    return holds();
  }

  /// For all positions the same ones.
  const std::vector<BlockTimes>& normals(std::size_t draw) {
    std::normal_distribution<double> normal;
    while (normals_.size() <= draw) {
      auto& row = normals_.emplace_back(std::min(points_.size(), CompetingBlocks::most));
      for (auto& block : row) {
        for (double& y : block.y) y = normal(normal_random_);
        for (double& slope : block.slope) slope = normal(normal_random_);
      }
    }
    return normals_[draw];
  }

  [[nodiscard]] Lanes squares_elsewhere(double dof) {
    Lanes result{};
    if (dof > 0) {
      std::chi_squared_distribution<double> squares(dof);
      for (double& one : result) one = squares(random_);
    }
    return result;
  }

  std::span<const SizePoint> points_;
  BreakSurroundings around_;
  std::size_t h_;
  SeriesNoise noise_;
  double risk_;
  std::size_t draws_;
  double best_rss_{};
  std::mt19937_64 normal_random_{seed};
  std::mt19937_64 random_;
  std::vector<std::vector<BlockTimes>> normals_;
  std::vector<BlockTimes> times_;
};

/// The position farthest from `best`, up to `end`, that holds. Where there are very many, ever
/// finer steps lead there.
std::size_t farthest(PositionTests& tests, std::size_t best, std::size_t end) {
  const bool up = end > best;
  const auto position = [&](std::size_t distance) {
    return up ? best + distance : best - distance;
  };
  std::size_t holding = 0;
  std::size_t beyond = (up ? end - best : best - end) + 1;  // does not hold, or is outside
  while (beyond - holding > 1) {
    const std::size_t step = 1 + (beyond - holding) / most_tests;
    std::size_t distance = beyond - 1;
    while (distance > holding && !tests.holds(position(distance))) {
      beyond = distance;
      distance -= std::min(step, distance - holding);
    }
    holding = distance;
  }
  return position(holding);
}

}  // namespace

BreakPositions break_positions(std::span<const SizePoint> points, const BreakSurroundings& around,
                               std::size_t min_segment, const SeriesNoise& noise,
                               double confidence) {
  assert(points.size() >= 2 * min_segment && around.best + 1 < points.size() && noise.dof > 0);
  PositionTests tests(points, around, min_segment, noise, confidence);
  return {farthest(tests, around.best, tests.first_position()),
          farthest(tests, around.best, tests.last_position())};
}

}  // namespace commgauge
