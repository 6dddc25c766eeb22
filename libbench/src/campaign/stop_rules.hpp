#pragma once

#include "commgauge/bench/base/options.hpp"
#include "timing/experiment_runner.hpp"

namespace commgauge::bench {

/// Of what is fitted. The precision is asked of the mean over all passes, whose errors average out:
/// one pass owes √passes of it.
[[nodiscard]] StopRule pass_rule(const Options& options);

/// Of what only decides what is measured, and how.
[[nodiscard]] StopRule quick_rule(const Options& options);

/// Of what only opens connections.
[[nodiscard]] StopRule warm_up_rule(const Options& options);

}  // namespace commgauge::bench
