#include "segmentation/gain_simulation.hpp"

#include <algorithm>
#include <cmath>

namespace commgauge {

GainSimulation::GainSimulation(std::span<const SizePoint> points, std::size_t min_segment,
                               std::size_t tested)
    : blocks_(points, min_segment, tested) {
  const std::size_t right = blocks_.tested + 1;
  ascending_ = growths(0, blocks());
  ascending_right_ = growths(right, blocks());
  descending_ = growths_down(0, blocks());
  descending_left_ = growths_down(0, right);
  set_lines();
}

double GainSimulation::observed() const {
  std::vector<BlockTimes> times(blocks());
  for (std::size_t i = 0; i < blocks(); ++i) {
    times[i].y.fill(blocks_.blocks[i].y - left_.at(blocks_.blocks[i].x));
    times[i].slope.fill(blocks_.blocks[i].sxx > 0 ? blocks_.blocks[i].slope() - left_.slope() : 0);
  }
  return gains(times).moved[0];
}

Gains GainSimulation::simulated(std::vector<BlockTimes>& normals, const Lanes& elsewhere,
                                double rss) const {
  Lanes squares = elsewhere;
  take_residuals(normals, 0, blocks_.tested + 1, squares);
  take_residuals(normals, blocks_.tested + 1, blocks(), squares);
  Lanes scale;
  for (std::size_t l = 0; l < lanes; ++l) scale[l] = std::sqrt(rss / squares[l]);
  for (std::size_t i = 0; i < blocks(); ++i) {
    const double y =
        i > blocks_.tested ? right_.at(blocks_.blocks[i].x) - left_.at(blocks_.blocks[i].x) : 0;
    const double slope =
        i > blocks_.tested && blocks_.blocks[i].sxx > 0 ? right_.slope() - left_.slope() : 0;
    const double of_y = 1 / std::sqrt(blocks_.blocks[i].weight);
    const double of_slope = blocks_.blocks[i].sxx > 0 ? 1 / std::sqrt(blocks_.blocks[i].sxx) : 0;
    for (std::size_t l = 0; l < lanes; ++l) {
      normals[i].y[l] = y + scale[l] * of_y * normals[i].y[l];
      normals[i].slope[l] = slope + scale[l] * of_slope * normals[i].slope[l];
    }
  }
  return gains(normals);
}

GainSimulation::Growth GainSimulation::growth(const LineBlock& line, const LineBlock& block) {
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

std::vector<GainSimulation::Growth> GainSimulation::growths(std::size_t first,
                                                            std::size_t end) const {
  std::vector<Growth> result(blocks());
  GrowingLine line;
  for (std::size_t i = first; i < end; ++i) {
    result[i] = growth(line.line(), blocks_.blocks[i]);
    line.add(blocks_.blocks[i]);
  }
  return result;
}

std::vector<GainSimulation::Growth> GainSimulation::growths_down(std::size_t first,
                                                                 std::size_t end) const {
  std::vector<Growth> result(blocks());
  GrowingLine line;
  for (std::size_t i = end; i-- > first;) {
    result[i] = growth(line.line(), blocks_.blocks[i]);
    line.add(blocks_.blocks[i]);
  }
  return result;
}

void GainSimulation::set_lines() {
  GrowingLine left;
  GrowingLine right;
  for (std::size_t i = 0; i < blocks(); ++i)
    (i <= blocks_.tested ? left : right).add(blocks_.blocks[i]);
  left_ = left.line();
  right_ = right.line();
}

/// Standard normal deviations of blocks first ... end - 1 from their line; adds their squares.
void GainSimulation::take_residuals(std::vector<BlockTimes>& normals, std::size_t first,
                                    std::size_t end, Lanes& squares) const {
  const LineBlock& line = first == 0 ? left_ : right_;
  Lanes mean{};
  Lanes slope{};
  for (std::size_t i = first; i < end; ++i) {
    const double root = std::sqrt(blocks_.blocks[i].weight);
    const double turn = root * (blocks_.blocks[i].x - line.x);
    const double own = std::sqrt(blocks_.blocks[i].sxx);
    for (std::size_t l = 0; l < lanes; ++l) {
      mean[l] += root * normals[i].y[l];
      slope[l] += turn * normals[i].y[l] + own * normals[i].slope[l];
    }
  }
  for (std::size_t i = first; i < end; ++i) {
    const double root = std::sqrt(blocks_.blocks[i].weight);
    const double turn = line.sxx > 0 ? root * (blocks_.blocks[i].x - line.x) / line.sxx : 0;
    const double own = line.sxx > 0 ? std::sqrt(blocks_.blocks[i].sxx) / line.sxx : 0;
    const double is_sloped = blocks_.blocks[i].sxx > 0 ? 1 : 0;
    for (std::size_t l = 0; l < lanes; ++l) {
      double& y = normals[i].y[l];
      double& z = normals[i].slope[l];
      y -= root / line.weight * mean[l] + turn * slope[l];
      z = is_sloped * z - own * slope[l];
      squares[l] += y * y + z * z;
    }
  }
}

/// A line in some draws.
struct GainSimulation::Line {
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

Gains GainSimulation::gains(const std::vector<BlockTimes>& times) const {
  const auto before = sums(ascending_, times, 0, blocks());
  const auto behind = sums_down(descending_, times, 0, blocks());
  const auto left = sums_down(descending_left_, times, 0, blocks_.tested + 1);
  const auto right = sums(ascending_right_, times, blocks_.tested + 1, blocks());
  const std::size_t last = blocks() - 1;
  Gains result;
  for (std::size_t l = 0; l < lanes; ++l) {
    const double here = before[blocks_.tested + 1][l] + behind[blocks_.tested + 1][l];
    double moved = here;
    double split_left = before[blocks_.tested + 1][l];
    double split_right = behind[blocks_.tested + 1][l];
    for (std::size_t i = 0; i < last; ++i) {
      if (blocks_.can_end[i]) moved = std::min(moved, before[i + 1][l] + behind[i + 1][l]);
      if (i < blocks_.tested)
        split_left = std::min(split_left, before[i + 1][l] + left[i + 1][l]);
      else if (i > blocks_.tested)
        split_right = std::min(split_right, right[i + 1][l] + behind[i + 1][l]);
    }
    result.moved[l] = here - moved;
    result.split[l] = here - split_left - split_right;
  }
  return result;
}

/// At i those of blocks first ... i - 1.
std::vector<Lanes> GainSimulation::sums(const std::vector<Growth>& growths,
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
std::vector<Lanes> GainSimulation::sums_down(const std::vector<Growth>& growths,
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

}  // namespace commgauge
