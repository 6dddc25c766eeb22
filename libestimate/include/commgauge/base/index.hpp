#pragma once

#include <cstddef>
#include <cstdint>

namespace commgauge {

/// A rank, or what else counts from 0, as a place in a container. @pre i >= 0
[[nodiscard]] constexpr std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

}  // namespace commgauge
