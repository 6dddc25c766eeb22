#include "segmentation/partition_search.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>

#include "segmentation/growing_line.hpp"

namespace commgauge {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

/// So many segments grow side by side: each is one chain of dependent divisions, together they keep
/// the processor busy.
constexpr std::size_t lanes = 8;
using Lanes = std::array<double, lanes>;

/// Weighted least-squares lines that grow point by point. Each point adds its squared prediction
/// error over 1/w + 1/W + (x - mean)^2/Sxx: only positive terms are ever summed, while differences
/// of sums of squares would cancel. x counts from the lane's first point for the same reason.
/// Lanes that have not begun hold harmless numbers.
class GrowingLines {
 public:
  GrowingLines() {
    weight_.fill(1);
    sxx_.fill(1);
    inverse_sxx_.fill(1);
  }

  /// The line of this lane begins with this point.
  void begin(std::size_t lane, const SizePoint& point) {
    origin_[lane] = point.x;
    weight_[lane] = point.weight;
    mean_x_[lane] = 0;
    mean_y_[lane] = point.y;
    sxx_[lane] = 0;
    sxy_[lane] = 0;
    inverse_sxx_[lane] = 0;
    rss_[lane] = point.within;
  }

  /// Every line takes the next point.
  void add(const SizePoint& point) {
    for (std::size_t i = 0; i < lanes; ++i) {
      const double total = weight_[i] + point.weight;
      const double share = point.weight / total;
      const double dx = (point.x - origin_[i]) - mean_x_[i];
      const double dy = point.y - mean_y_[i];
      const double error = dy - sxy_[i] * inverse_sxx_[i] * dx;
      const double reduced = share * weight_[i];
      const double grown = sxx_[i] + reduced * dx * dx;
      const double inverse = 1 / grown;
      rss_[i] += point.within + reduced * error * error * (sxx_[i] * inverse);
      sxy_[i] += reduced * dx * dy;
      mean_x_[i] += share * dx;
      mean_y_[i] += share * dy;
      weight_[i] = total;
      sxx_[i] = grown;
      inverse_sxx_[i] = inverse;
    }
  }

  [[nodiscard]] const Lanes& rss() const { return rss_; }

 private:
  alignas(64) Lanes origin_{};
  Lanes weight_{};
  Lanes mean_x_{};
  Lanes mean_y_{};
  Lanes sxx_{};
  Lanes sxy_{};
  Lanes inverse_sxx_{};
  Lanes rss_{};
};

/// smallest(k, j): the least sum of squares of the points up to j with k breaks, k < most_breaks.
/// (With most_breaks breaks only the whole series matters, and the way back finds that.)
class Search {
 public:
  Search(const std::vector<SizePoint>& points, std::size_t min_segment, std::size_t most_breaks)
      : points_{points},
        h_{min_segment},
        smallest_(most_breaks, std::vector<double>(points.size(), never)) {
    if (most_breaks > 0) without_breaks();
    if (most_breaks > 1)
      for (std::size_t first = h_; first < end(); first += lanes) sweep(first);
  }

  /// The last points of the left segments of the best partition.
  [[nodiscard]] std::vector<std::size_t> way_back(std::size_t breaks) const {
    std::vector<std::size_t> result(breaks);
    std::size_t last = points_.size() - 1;
    while (breaks-- > 0) {
      last = best_last_break(breaks, last);
      result[breaks] = last;
    }
    return result;
  }

 private:
  using Offsets = std::vector<Lanes>;

  /// Behind the points that can end a segment with another one to follow.
  [[nodiscard]] std::size_t end() const { return points_.size() - h_; }

  void without_breaks() {
    GrowingLines line;
    line.begin(0, points_.front());
    for (std::size_t j = 1; j < end(); ++j) {
      line.add(points_[j]);
      if (j + 1 >= h_) smallest_[0][j] = line.rss()[0];
    }
  }

  /// Segments that begin at `first` and the points behind it, ends ascending.
  void sweep(std::size_t first) {
    GrowingLines lines;
    Lanes blocked;
    blocked.fill(never);
    Offsets offsets(smallest_.size(), blocked);
    for (std::size_t j = first; j < end(); ++j) {
      lines.add(points_[j]);
      if (j < first + lanes) lines.begin(j - first, points_[j]);
      // Lane by lane long enough; what lies before such a segment is final by now.
      if (const auto lane = j + 1 - first - h_; j + 1 >= first + h_ && lane < lanes)
        for (std::size_t k = 1; k < offsets.size(); ++k)
          offsets[k][lane] = smallest_[k - 1][first + lane - 1];
      for (std::size_t k = 1; k < offsets.size(); ++k)
        smallest_[k][j] = least(offsets[k], lines.rss(), smallest_[k][j]);
    }
  }

  static double least(const Lanes& before, const Lanes& rss, double known) {
    std::array<double, lanes / 2> quarter;
    for (std::size_t i = 0; i < lanes / 2; ++i)
      quarter[i] = std::min(before[i] + rss[i], before[i + lanes / 2] + rss[i + lanes / 2]);
    return std::min({known, std::min(quarter[0], quarter[2]), std::min(quarter[1], quarter[3])});
  }

  /// Where the last segment, which ends with `last`, begins best after `breaks` earlier breaks.
  [[nodiscard]] std::size_t best_last_break(std::size_t breaks, std::size_t last) const {
    const std::size_t least_first = (breaks + 1) * h_;
    std::size_t best = least_first - 1;
    double best_rss = never;
    GrowingLine line;
    for (std::size_t first = last + 1; first-- > least_first;) {
      line.add(points_[first]);
      if (last + 1 - first < h_) continue;
      const double rss = smallest_[breaks][first - 1] + line.rss();
      if (rss <= best_rss) {
        best_rss = rss;
        best = first - 1;
      }
    }
    return best;
  }

  const std::vector<SizePoint>& points_;
  std::size_t h_;
  std::vector<std::vector<double>> smallest_;
};

}  // namespace

std::vector<std::vector<std::size_t>> best_partitions(const std::vector<SizePoint>& points,
                                                      std::size_t min_segment,
                                                      std::size_t most_breaks) {
  assert(min_segment >= 3 && points.size() / min_segment > most_breaks);
  const Search search(points, min_segment, most_breaks);
  std::vector<std::vector<std::size_t>> result;
  for (std::size_t breaks = 0; breaks <= most_breaks; ++breaks)
    result.push_back(search.way_back(breaks));
  return result;
}

}  // namespace commgauge
