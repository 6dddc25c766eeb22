#pragma once

#include <optional>

#include "campaign/harness.hpp"

namespace commgauge::bench {

struct EagerLimit {
  std::optional<Bytes> limit;  ///< nothing: not known, or beyond what was probed
  Bytes probed;                ///< the largest size; 0: not probed
};

/// The limit that is given, or what a probe from rank 0 to rank 1 finds; with several machines, to
/// another machine as well. Collective.
[[nodiscard]] EagerLimit find_eager_limit(Harness& harness);

}  // namespace commgauge::bench
