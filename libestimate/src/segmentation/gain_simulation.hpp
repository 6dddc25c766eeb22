#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "segmentation/competing_blocks.hpp"

namespace commgauge {

/// Draws that are simulated side by side keep the processor busy: as many doubles as the widest
/// registers hold. The order in which random numbers become draws depends on it.
constexpr std::size_t lanes = 8;
using Lanes = std::array<double, lanes>;

/// The times of a block in some draws.
struct BlockTimes {
  Lanes y{};
  Lanes slope{};
};

/// By how much the sum of squares is smaller than with the break at the tested position, in some
/// draws.
struct Gains {
  Lanes moved{};  ///< with the break at its best position
  Lanes split{};  ///< with another break in each of the two segments
};

/// What a break's best position gains over one that is tested, as observed and by chance.
class GainSimulation {
 public:
  /// @param points  of the two segments. @param tested  last point of the left one
  GainSimulation(std::span<const SizePoint> points, std::size_t min_segment, std::size_t tested);

  [[nodiscard]] std::size_t blocks() const { return blocks_.count(); }
  [[nodiscard]] double dimensions() const { return blocks_.dimensions(); }

  /// Of the points' own times: Gains::moved.
  [[nodiscard]] double observed() const;

  /// Of the two lines through the tested position with residuals of a random direction.
  /// @param normals  of each block, standard normal; become the times.
  /// @param elsewhere  sum of squares of the residuals' other dimensions, standard normal as well
  /// @param rss  to which all residuals' sum of squares is scaled
  [[nodiscard]] Gains simulated(std::vector<BlockTimes>& normals, const Lanes& elsewhere,
                                double rss) const;

 private:
  /// How one more block changes a line, apart from its times.
  struct Growth {
    double slope_weight{};  ///< of the squared difference between the slopes
    double slope_gain{};    ///< part of that difference that the slope moves by
    double distance{};      ///< of the mean of x
    double error_weight{};  ///< of the squared prediction error
    double error_gain{};    ///< change of the slope for that error
    double share{};         ///< of the block in the new mean
  };
  struct Line;

  static Growth growth(const LineBlock& line, const LineBlock& block);
  [[nodiscard]] std::vector<Growth> growths(std::size_t first, std::size_t end) const;
  [[nodiscard]] std::vector<Growth> growths_down(std::size_t first, std::size_t end) const;
  void set_lines();
  void take_residuals(std::vector<BlockTimes>& normals, std::size_t first, std::size_t end,
                      Lanes& squares) const;
  [[nodiscard]] Gains gains(const std::vector<BlockTimes>& times) const;
  [[nodiscard]] std::vector<Lanes> sums(const std::vector<Growth>& growths,
                                        const std::vector<BlockTimes>& times, std::size_t first,
                                        std::size_t end) const;
  [[nodiscard]] std::vector<Lanes> sums_down(const std::vector<Growth>& growths,
                                             const std::vector<BlockTimes>& times,
                                             std::size_t first, std::size_t end) const;

  CompetingBlocks blocks_;
  std::vector<Growth> ascending_;  ///< from the first block on
  std::vector<Growth> ascending_right_;
  std::vector<Growth> descending_;  ///< from the last block on
  std::vector<Growth> descending_left_;
  LineBlock left_;
  LineBlock right_;
};

}  // namespace commgauge
