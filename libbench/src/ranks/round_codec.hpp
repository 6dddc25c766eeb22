#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "commgauge/plan/rounds.hpp"

namespace commgauge::bench {

/// Rounds as plain numbers and back, so that rank 0 can plan for everybody: plans made from
/// floating-point times on machines of different kinds might differ.
[[nodiscard]] std::vector<std::int64_t> encode(const std::vector<Round>& rounds);
[[nodiscard]] std::vector<Round> decode(std::span<const std::int64_t> numbers);

}  // namespace commgauge::bench
