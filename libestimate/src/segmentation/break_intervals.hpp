#pragma once

#include <string>
#include <vector>

#include "segmentation/bai_interval.hpp"
#include "segmentation/break_positions.hpp"
#include "segmentation/fitted_line.hpp"

namespace commgauge {

/// The intervals of the breaks between given segments: by a test of each position, or Bai's on
/// request.
class BreakIntervals {
 public:
  /// All are kept by reference.
  /// @param ranges  observations of the segments, in order; @param lines  as many
  BreakIntervals(const ObservedSeries& series, const Starts& starts,
                 const SegmentationOptions& options, const std::vector<ObservationRange>& ranges,
                 const std::vector<FittedLine>& lines);

  /// @param i  the break between segments i and i + 1
  [[nodiscard]] Break interval(std::size_t i) const;

 private:
  [[nodiscard]] Break tested_interval(std::size_t i) const;
  [[nodiscard]] Break bai_interval(std::size_t i) const;
  [[nodiscard]] BreakSide side(std::size_t i, std::size_t segment) const;
  void enclose(Break& result, const BreakReach& reach) const;
  [[nodiscard]] std::size_t point_at(std::size_t observation) const;
  [[nodiscard]] std::size_t first_of_size(std::size_t observation) const;
  [[nodiscard]] std::size_t last_of_size(std::size_t observation) const;

  const ObservedSeries& series_;
  const Starts& starts_;
  const SegmentationOptions& options_;
  const std::vector<ObservationRange>& ranges_;
  const std::vector<FittedLine>& lines_;
  std::vector<SizePoint> points_;  ///< for tested intervals only
  SeriesNoise noise_;
};

}  // namespace commgauge
