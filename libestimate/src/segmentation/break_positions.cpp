#include "segmentation/break_positions.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "base/sort_unique.hpp"
#include "segmentation/growing_line.hpp"

namespace commgauge {
namespace {

constexpr std::size_t lanes = 8;  ///< draws side by side keep the processor busy
using Lanes = std::array<double, lanes>;

constexpr std::uint64_t seed = 20000;
constexpr double few_tail_draws = 25.6;  ///< expected above the critical value
constexpr std::size_t fewest_draws = 256;
constexpr std::size_t most_draws = 8192;
constexpr double bound_share = 0.01;  ///< of the error probability: for places out of the question
constexpr double neighbours_share = 0.2;  ///< of it: for places that only other neighbours allow
constexpr std::size_t most_tests = 200;   ///< on one side of the best place
constexpr std::size_t dense = 16;  ///< places beside the tested one and the ends that all compete
constexpr double sparse_growth = 1.15;     ///< of the distance, from there on
constexpr std::size_t most_blocks = 1000;  ///< more than distances up to 2^48 give

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

/// Ends of the blocks among which a break competes with the tested place: all nearby and near the
/// ends, where segments are short, ever fewer farther away, for there the sums of squares hardly
/// differ from their neighbours'. Which ones doesn't depend on the times. Ascending; the last point
/// is always among them.
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

/// How one more block changes a line, apart from its times.
struct Growth {
  double slope_weight{};  ///< of the squared difference between the slopes
  double slope_gain{};    ///< part of that difference that the slope moves by
  double distance{};      ///< of the mean of x
  double error_weight{};  ///< of the squared prediction error
  double error_gain{};    ///< change of the slope for that error
  double share{};         ///< of the block in the new mean
};

Growth growth(const LineBlock& line, const LineBlock& block) {
  Growth result;
  const double sxx = line.sxx + block.sxx;
  if (block.sxx > 0) {
    result.slope_gain = block.sxx / sxx;
    result.slope_weight = line.sxx * result.slope_gain;
  }
  const double total = line.weight + block.weight;
  result.distance = block.x - line.x;
  result.share = block.weight / total;
  const double reduced = line.weight * result.share;
  const double grown = sxx + reduced * result.distance * result.distance;
  if (grown > 0) {
    result.error_weight = reduced * (sxx / grown);
    result.error_gain = reduced * result.distance / grown;
  }
  return result;
}

/// The times of a block in some draws.
struct BlockTimes {
  Lanes y{};
  Lanes slope{};
};

/// By how much the sum of squares is smaller, in some draws.
struct Gains {
  Lanes moved{};  ///< with the break at the best place
  Lanes split{};  ///< with another break in each of the two segments
};

/// One break at one place, against all others.
class PlaceTest {
 public:
  PlaceTest(std::span<const SizePoint> points, std::size_t h, std::size_t tested) {
    const auto ends = block_ends(points.size(), h, tested);
    std::size_t first = 0;
    for (const auto end : ends) {
      if (end == tested) boundary_ = blocks_.size();
      can_end_.push_back(end + 1 >= h && end + h < points.size());
      GrowingLine line;
      for (; first <= end; ++first) line.add(points[first]);
      blocks_.push_back(line.line());
    }
    assert(blocks() <= most_blocks);
    grow();
    set_lines();
  }

  [[nodiscard]] std::size_t blocks() const { return blocks_.size(); }

  /// Independent deviations that the blocks' means and slopes have.
  [[nodiscard]] double dimensions() const {
    const auto sloped =
        std::ranges::count_if(blocks_, [](const LineBlock& b) { return b.sxx > 0; });
    return static_cast<double>(blocks()) + static_cast<double>(sloped);
  }

  [[nodiscard]] double observed_gain() const {
    std::vector<BlockTimes> times(blocks());
    for (std::size_t i = 0; i < blocks(); ++i) {
      times[i].y.fill(blocks_[i].y - left_.at(blocks_[i].x));
      times[i].slope.fill(blocks_[i].sxx > 0 ? blocks_[i].slope() - left_.slope() : 0);
    }
    return gains(times).moved[0];
  }

  /// Of residuals with this sum of squares in all. @param normals  becomes the times.
  [[nodiscard]] Gains simulated_gains(std::vector<BlockTimes>& normals, const Lanes& elsewhere,
                                      double rss) const {
    Lanes squares = elsewhere;
    take_residuals(normals, 0, boundary_ + 1, squares);
    take_residuals(normals, boundary_ + 1, blocks(), squares);
    Lanes scale;
    for (std::size_t l = 0; l < lanes; ++l) scale[l] = std::sqrt(rss / squares[l]);
    for (std::size_t i = 0; i < blocks(); ++i) {
      const double y = i > boundary_ ? right_.at(blocks_[i].x) - left_.at(blocks_[i].x) : 0;
      const double slope = i > boundary_ && blocks_[i].sxx > 0 ? right_.slope() - left_.slope() : 0;
      const double of_y = 1 / std::sqrt(blocks_[i].weight);
      const double of_slope = blocks_[i].sxx > 0 ? 1 / std::sqrt(blocks_[i].sxx) : 0;
      for (std::size_t l = 0; l < lanes; ++l) {
        normals[i].y[l] = y + scale[l] * of_y * normals[i].y[l];
        normals[i].slope[l] = slope + scale[l] * of_slope * normals[i].slope[l];
      }
    }
    return gains(normals);
  }

 private:
  void grow() {
    const std::size_t right = boundary_ + 1;
    ascending_ = growths(0, blocks());
    ascending_right_ = growths(right, blocks());
    descending_ = growths_down(0, blocks());
    descending_left_ = growths_down(0, right);
  }

  [[nodiscard]] std::vector<Growth> growths(std::size_t first, std::size_t end) const {
    std::vector<Growth> result(blocks());
    GrowingLine line;
    for (std::size_t i = first; i < end; ++i) {
      result[i] = growth(line.line(), blocks_[i]);
      line.add(blocks_[i]);
    }
    return result;
  }

  [[nodiscard]] std::vector<Growth> growths_down(std::size_t first, std::size_t end) const {
    std::vector<Growth> result(blocks());
    GrowingLine line;
    for (std::size_t i = end; i-- > first;) {
      result[i] = growth(line.line(), blocks_[i]);
      line.add(blocks_[i]);
    }
    return result;
  }

  void set_lines() {
    GrowingLine left;
    GrowingLine right;
    for (std::size_t i = 0; i < blocks(); ++i) (i <= boundary_ ? left : right).add(blocks_[i]);
    left_ = left.line();
    right_ = right.line();
  }

  /// Standard normal deviations of blocks first ... end - 1 from their line; adds their squares.
  void take_residuals(std::vector<BlockTimes>& normals, std::size_t first, std::size_t end,
                      Lanes& squares) const {
    const LineBlock& line = first == 0 ? left_ : right_;
    Lanes mean{};
    Lanes slope{};
    for (std::size_t i = first; i < end; ++i) {
      const double root = std::sqrt(blocks_[i].weight);
      const double turn = root * (blocks_[i].x - line.x);
      const double own = std::sqrt(blocks_[i].sxx);
      for (std::size_t l = 0; l < lanes; ++l) {
        mean[l] += root * normals[i].y[l];
        slope[l] += turn * normals[i].y[l] + own * normals[i].slope[l];
      }
    }
    for (std::size_t i = first; i < end; ++i) {
      const double root = std::sqrt(blocks_[i].weight);
      const double turn = line.sxx > 0 ? root * (blocks_[i].x - line.x) / line.sxx : 0;
      const double own = line.sxx > 0 ? std::sqrt(blocks_[i].sxx) / line.sxx : 0;
      const double is_sloped = blocks_[i].sxx > 0 ? 1 : 0;
      for (std::size_t l = 0; l < lanes; ++l) {
        double& y = normals[i].y[l];
        double& z = normals[i].slope[l];
        y -= root / line.weight * mean[l] + turn * slope[l];
        z = is_sloped * z - own * slope[l];
        squares[l] += y * y + z * z;
      }
    }
  }

  struct Line {
    Lanes y{};
    Lanes slope{};
    Lanes rss{};

    void add(const Growth& g, const BlockTimes& times) {
      for (std::size_t l = 0; l < lanes; ++l) {
        const double turn = times.slope[l] - slope[l];
        rss[l] += g.slope_weight * turn * turn;
        slope[l] += g.slope_gain * turn;
        const double step = times.y[l] - y[l];
        const double error = step - slope[l] * g.distance;
        rss[l] += g.error_weight * error * error;
        slope[l] += g.error_gain * error;
        y[l] += g.share * step;
      }
    }
  };

  [[nodiscard]] Gains gains(const std::vector<BlockTimes>& times) const {
    const auto before = sums(ascending_, times, 0, blocks());
    const auto behind = sums_down(descending_, times, 0, blocks());
    const auto left = sums_down(descending_left_, times, 0, boundary_ + 1);
    const auto right = sums(ascending_right_, times, boundary_ + 1, blocks());
    const std::size_t last = blocks() - 1;
    Gains result;
    for (std::size_t l = 0; l < lanes; ++l) {
      const double here = before[boundary_ + 1][l] + behind[boundary_ + 1][l];
      double moved = here;
      double split_left = before[boundary_ + 1][l];
      double split_right = behind[boundary_ + 1][l];
      for (std::size_t i = 0; i < last; ++i) {
        if (can_end_[i]) moved = std::min(moved, before[i + 1][l] + behind[i + 1][l]);
        if (i < boundary_)
          split_left = std::min(split_left, before[i + 1][l] + left[i + 1][l]);
        else if (i > boundary_)
          split_right = std::min(split_right, right[i + 1][l] + behind[i + 1][l]);
      }
      result.moved[l] = here - moved;
      result.split[l] = here - split_left - split_right;
    }
    return result;
  }

  /// At i those of blocks first ... i - 1.
  [[nodiscard]] std::vector<Lanes> sums(const std::vector<Growth>& growths,
                                        const std::vector<BlockTimes>& times, std::size_t first,
                                        std::size_t end) const {
    std::vector<Lanes> result(blocks() + 1);
    Line line;
    for (std::size_t i = first; i < end; ++i) {
      line.add(growths[i], times[i]);
      result[i + 1] = line.rss;
    }
    return result;
  }

  /// At i those of blocks i ... end - 1.
  [[nodiscard]] std::vector<Lanes> sums_down(const std::vector<Growth>& growths,
                                             const std::vector<BlockTimes>& times,
                                             std::size_t first, std::size_t end) const {
    std::vector<Lanes> result(blocks() + 1);
    Line line;
    for (std::size_t i = end; i-- > first;) {
      line.add(growths[i], times[i]);
      result[i] = line.rss;
    }
    return result;
  }

  std::vector<LineBlock> blocks_;
  std::vector<char> can_end_;
  std::size_t boundary_{};
  std::vector<Growth> ascending_;  ///< from the first block on
  std::vector<Growth> ascending_right_;
  std::vector<Growth> descending_;  ///< from the last block on
  std::vector<Growth> descending_left_;
  LineBlock left_;
  LineBlock right_;
};

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

/// All places of one break.
class PlaceTests {
 public:
  PlaceTests(std::span<const SizePoint> points, const BreakSurroundings& around, std::size_t h,
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

  [[nodiscard]] std::size_t first_place() const { return around_.break_before ? 2 * h_ - 1 : 0; }

  [[nodiscard]] std::size_t last_place() const {
    return points_.size() - 1 - (around_.break_behind ? 2 * h_ : 0);
  }

  [[nodiscard]] bool holds(std::size_t place) {
    const auto near = neighbours(place);
    const auto window = points_.subspan(near.first, near.end - near.first);
    const PlaceTest test(window, h_, place - near.first);
    const Reached reached{test.observed_gain(),
                          around_.has_neighbours() ? near.rss - best_rss_ : 0};
    if (!(reached.moved > 0 || reached.anywhere > 0)) return true;
    const double rss = std::max(
        {noise_.rss + (near.rss - best_rss_), noise_.floor, std::numeric_limits<double>::min()});
    return !is_out_of_question(reached.moved / rss, window.size()) &&
           is_simulated(test, reached, rss);
  }

 private:
  /// The breaks on both sides move along with this one.
  [[nodiscard]] Neighbours neighbours(std::size_t place) const {
    const auto before = around_.break_before ? best_split(points_, 0, place + 1, h_)
                                             : no_split(points_, 0, place + 1);
    const auto behind = around_.break_behind ? best_split(points_, place + 1, points_.size(), h_)
                                             : no_split(points_, place + 1, points_.size());
    return {before.second, around_.break_behind ? behind.second : points_.size(),
            before.rss + behind.rss};
  }

  /// Whatever the lines are, a place gains the squares of two of the residuals' dimensions at most:
  /// P(gain > part * rss) <= (1 - part)^(dof / 2 - 1); and there are so many places.
  [[nodiscard]] bool is_out_of_question(double part, std::size_t places) const {
    const double one = std::pow(std::max(0.0, 1 - part), std::max(0.0, noise_.dof / 2 - 1));
    return one * static_cast<double>(places) < bound_share * risk_;
  }

  /// How much smaller the sum of squares is
  struct Reached {
    double moved{};     ///< with this break at its best place
    double anywhere{};  ///< with its neighbours at theirs, too
  };

  /// Whether gains like these come about by chance. Moving the neighbours, too, can't gain more
  /// than further breaks in their place.
  [[nodiscard]] bool is_simulated(const PlaceTest& test, const Reached& reached, double rss) {
    const double all = risk_ * static_cast<double>(draws_ * lanes + 1);
    const double share = around_.has_neighbours() ? neighbours_share : 0;
    const double dof = noise_.dof + 4 - test.dimensions();
    random_.seed(seed + 1);
    double moved = 1;
    double anywhere = 1;
    const auto holds = [&] {
      return moved > all * (1 - bound_share - share) && anywhere > all * share;
    };
    for (std::size_t i = 0; i < draws_ && !holds(); ++i) {
      const auto& row = normals(i);
      times_.assign(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(test.blocks()));
      const Gains gains = test.simulated_gains(times_, squares_elsewhere(dof), rss);
      for (std::size_t l = 0; l < lanes; ++l) {
        moved += gains.moved[l] >= reached.moved ? 1 : 0;
        anywhere += gains.split[l] >= reached.anywhere ? 1 : 0;
      }
    }
    return holds();
  }

  /// For all places the same ones.
  const std::vector<BlockTimes>& normals(std::size_t draw) {
    std::normal_distribution<double> normal;
    while (normals_.size() <= draw) {
      auto& row = normals_.emplace_back(std::min(points_.size(), most_blocks));
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

/// The place farthest from `best`, up to `end`, that holds. Where there are very many, ever finer
/// steps lead there.
std::size_t farthest(PlaceTests& tests, std::size_t best, std::size_t end) {
  const bool up = end > best;
  const auto place = [&](std::size_t distance) { return up ? best + distance : best - distance; };
  std::size_t holding = 0;
  std::size_t beyond = (up ? end - best : best - end) + 1;  // does not hold, or is outside
  while (beyond - holding > 1) {
    const std::size_t step = 1 + (beyond - holding) / most_tests;
    std::size_t distance = beyond - 1;
    while (distance > holding && !tests.holds(place(distance))) {
      beyond = distance;
      distance -= std::min(step, distance - holding);
    }
    holding = distance;
  }
  return place(holding);
}

}  // namespace

BreakPositions break_positions(std::span<const SizePoint> points, const BreakSurroundings& around,
                               std::size_t min_segment, const SeriesNoise& noise,
                               double confidence) {
  assert(points.size() >= 2 * min_segment && around.best + 1 < points.size() && noise.dof > 0);
  PlaceTests tests(points, around, min_segment, noise, confidence);
  return {farthest(tests, around.best, tests.first_place()),
          farthest(tests, around.best, tests.last_place())};
}

}  // namespace commgauge
