#pragma once

#include "segmentation/size_point.hpp"

namespace commgauge {

/// Points with a line through them, as much as sums of squares need. One point: sxx and sxy are 0.
struct LineBlock : SizePoint {
  double sxx{};  ///< weighted squares of x around its mean, which is `x`
  double sxy{};
  [[nodiscard]] double slope() const { return sxx > 0 ? sxy / sxx : 0; }
  [[nodiscard]] double at(double where) const { return y + slope() * (where - x); }
};

/// A weighted least-squares line that grows by points or blocks. Only positive terms are ever
/// added to the sum of squares, `within`. Weights may differ by many orders of magnitude: the mean
/// moves from whichever of the two is heavier.
class GrowingLine {
 public:
  void add(const LineBlock& block) {
    line_.within += block.within;
    if (block.sxx > 0) add_slope(block);
    const double total = line_.weight + block.weight;
    const double dx = block.x - line_.x;
    const double dy = block.y - line_.y;
    const double reduced = line_.weight * (block.weight / total);
    const double grown = line_.sxx + reduced * dx * dx;
    if (line_.sxx > 0) {
      const double error = dy - line_.sxy / line_.sxx * dx;
      line_.within += reduced * error * error * (line_.sxx / grown);
    }
    line_.sxy += reduced * dx * dy;
    line_.sxx = grown;
    move(line_.x, block.x, dx, block.weight / total);
    move(line_.y, block.y, dy, block.weight / total);
    line_.weight = total;
  }

  void add(const SizePoint& point) { add(LineBlock{point, 0, 0}); }

  [[nodiscard]] const LineBlock& line() const { return line_; }
  [[nodiscard]] double rss() const { return line_.within; }

 private:
  void add_slope(const LineBlock& block) {
    const double grown = line_.sxx + block.sxx;
    const double error = block.slope() - line_.slope();
    line_.within += line_.sxx * (block.sxx / grown) * error * error;
    line_.sxx = grown;
    line_.sxy += block.sxy;
  }

  static void move(double& mean, double value, double step, double share) {
    mean = share < 0.5 ? mean + share * step : value - (1 - share) * step;
  }

  LineBlock line_;
};

}  // namespace commgauge
