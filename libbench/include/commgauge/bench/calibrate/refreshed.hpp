#pragma once

#include <cstdint>

#include "commgauge/base/units.hpp"
#include "commgauge/bench/base/options.hpp"
#include "commgauge/judge/freshness.hpp"
#include "commgauge/model/model.hpp"

namespace commgauge::bench {

struct RefreshOptions {
  /// The first look at the job's pairs takes no longer, apart from opening connections. A second
  /// look, at what stands out, takes about as long.
  Seconds time{0.1};
  std::uint64_t seed{1};  ///< which hosts are asked together
  Wait wait{Wait::automatic};
};

struct Refreshed {
  Model model;  ///< the job's, with what drifted corrected
  Freshness found;
  long trips{};     ///< times that were measured, each of several round trips
  Seconds elapsed;  ///< all of it
};

}  // namespace commgauge::bench
