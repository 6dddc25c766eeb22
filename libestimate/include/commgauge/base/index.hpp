#pragma once

#include <cstddef>
#include <cstdint>

namespace commgauge {

/// A rank, or a count, as the standard library wants an index. @pre i >= 0
[[nodiscard]] constexpr std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

}  // namespace commgauge
