#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "commgauge/base/statistics.hpp"

namespace commgauge {

/// What decides how many breaks there are: the partition with the smallest value.
enum class Criterion {
  bic,  ///< Schwarz: ln n for each parameter
  lwz   ///< Liu, Wu and Zidek: 0.299·(ln n)^2.1, fewer breaks
};

/// What Bai's intervals of the breaks take as equal on both sides of a break (Bai 1997).
enum class BreakVariance {
  equal,      ///< one variance and one distribution of the sizes for the whole series
  by_segment  ///< each segment its own; no program has it: what strucchange is compared with
};

struct SegmentationOptions {
  std::optional<int> breaks;  ///< how many; nothing: the criterion decides
  int most_breaks{5};         ///< that the criterion may choose from
  int min_segment{3};         ///< distinct sizes in a segment, at least; 3 or more
  Criterion criterion{Criterion::bic};
  double confidence{0.95};
  /// Bai's intervals of the breaks, for large samples and clear jumps. Nothing: intervals by a test
  /// of each position, exact for normal noise with one variance, for jumps and kinks of any size.
  std::optional<BreakVariance> break_variance;
};

/// A line over observations first … last (from 0, inclusive), by (weighted) least squares.
/// Intervals: Student, with the segment's own variance.
struct Segment {
  std::size_t first{};
  std::size_t last{};
  Estimate intercept;  ///< [s]
  Estimate slope;      ///< [s/byte]
  double rss{};        ///< weighted residual sum of squares, no floor added
};

/// Between two segments.
struct Break {
  std::size_t last{};  ///< observation: the last of the left segment
  /// Observations among which the last of the left segment lies, with the asked confidence;
  /// within the series: `high` is the last of all where one line might do, too. Nothing where the
  /// lines are the same, or Bai's distribution gives none.
  std::optional<std::size_t> low;
  std::optional<std::size_t> high;
  std::string no_interval;  ///< why there is no interval, or empty
};

/// The best partition with a given number of breaks.
struct Partition {
  std::vector<std::size_t> breaks;  ///< last observations of the left segments, ascending
  double rss{};
  double bic{};
  double lwz{};
};

/// Independent lines with breaks between them.
struct Segmentation {
  std::vector<Segment> segments;  ///< one more than breaks
  std::vector<Break> breaks;
  double rss{};
  double bic{};
  double lwz{};
  std::vector<Partition> candidates;  ///< with 0, 1, … breaks, as many as were tried
};

}  // namespace commgauge
