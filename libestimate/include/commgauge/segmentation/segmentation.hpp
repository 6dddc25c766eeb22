#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "commgauge/base/statistics.hpp"
#include "commgauge/base/units.hpp"

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

/// Segmented regression after Bai and Perron (2003), exact: of all partitions into lines the one
/// with the smallest residual sum of squares, by dynamic programming. O(m·n²) time with O(1) for a
/// segment, O(m·n) memory.
///
/// A segment holds at least `min_segment` distinct sizes, and a break never parts observations of
/// one size: repeated sizes are summed up exactly first.
///
/// The criteria are those of a normal likelihood: n·(ln RSS + 1 − ln n + ln 2π) − Σ ln w
/// + penalty·(k + 1)(m + 1), k = 2. In them RSS is never below Σ w·floor²: noise-free data would
/// breed breaks out of round-off.
///
/// @param sizes    ascending, may repeat.
/// @param times    as many; times[i] belongs to sizes[i]; finite.
/// @param weights  as many, positive, or none: all 1.
/// @param floors   smallest believable standard deviation of each time, as many, or none. A
///                 billionth of the time itself is always taken for round-off.
/// @throws InputError  lengths differ, not ascending, something not finite or not positive, options
///                     out of range. @throws FitError  more breaks than the sizes allow, or fewer
///                     distinct sizes than one segment needs.
/// @note Pure: no MPI.
[[nodiscard]] Segmentation segmented_regression(std::span<const Bytes> sizes,
                                                std::span<const Seconds> times,
                                                const SegmentationOptions& options = {},
                                                std::span<const double> weights = {},
                                                std::span<const Seconds> floors = {});

}  // namespace commgauge
