#pragma once

#include <cstdint>

#include "commgauge/trace/events/trace.hpp"

namespace commgauge::trace {

/// Bytes of a rank's buffers in a collective operation, as Score-P counts them for OTF2.
struct Sizes {
  std::uint64_t sent{};
  std::uint64_t received{};
};
[[nodiscard]] Sizes sizes_of(const Collective& collective, int rank);

}  // namespace commgauge::trace
