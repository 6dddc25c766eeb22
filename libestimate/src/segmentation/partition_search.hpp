#pragma once

#include <cstddef>
#include <vector>

#include "segmentation/size_point.hpp"

namespace commgauge {

/// Of all partitions of points into lines of at least `min_segment` points those with the smallest
/// residual sums of squares, with 0, 1, ... `most_breaks` breaks (Bai and Perron 2003).
///
/// @return for each number of breaks the last points of the left segments, ascending.
/// @pre x ascending, weights positive, min_segment >= 3, (most_breaks + 1) * min_segment points.
[[nodiscard]] std::vector<std::vector<std::size_t>> best_partitions(
    const std::vector<SizePoint>& points, std::size_t min_segment, std::size_t most_breaks);

}  // namespace commgauge
