#pragma once

#include <optional>
#include <span>
#include <vector>

#include "commgauge/base/diagnostic.hpp"
#include "commgauge/measurements/fabric_run.hpp"
#include "commgauge/model/parameters/fabric.hpp"

namespace commgauge {

/// Links that hosts share, or nothing, and what is to be said of that.
struct FabricEstimate {
  std::optional<Fabric> fabric;
  std::vector<Diagnostic> warnings;
};

/// Repeats each launch's search on its recorded rounds. A group is what both of its searches found,
/// and those of all launches. A link limits where both say so.
/// What a link takes is the mean of what both searches' fullest rounds show; a replicate is that of
/// one repetition, of several launches that of one launch.
[[nodiscard]] FabricEstimate estimate_fabric(std::span<const FabricRun> runs, double confidence);

}  // namespace commgauge
