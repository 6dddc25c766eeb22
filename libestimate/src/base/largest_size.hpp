#pragma once

#include <cstdint>

namespace commgauge::detail {

/// Of the message sizes that text and files may give [bytes].
inline constexpr std::uint64_t largest_size = std::uint64_t{1} << 63U;

}  // namespace commgauge::detail
