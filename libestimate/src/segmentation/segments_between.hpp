#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "commgauge/segmentation/segments.hpp"

namespace commgauge {

/// As segmented_regression(), with breaks after given observations; no candidates.
/// @pre what segmented_regression() asks for; breaks ascending, min_segment sizes between them.
[[nodiscard]] Segmentation segments_between(std::vector<std::size_t> breaks,
                                            std::span<const Bytes> sizes,
                                            std::span<const Seconds> times,
                                            const SegmentationOptions& options,
                                            std::span<const double> weights,
                                            std::span<const Seconds> floors);

}  // namespace commgauge
