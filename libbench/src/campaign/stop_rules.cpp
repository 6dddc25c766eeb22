#include "campaign/stop_rules.hpp"

#include <cmath>

namespace commgauge::bench {

StopRule pass_rule(const Options& options) {
  return {options.precision * std::sqrt(options.passes), options.confidence, options.min_reps,
          options.max_reps, options.raw};
}

StopRule quick_rule(const Options& options) { return {0.1, options.confidence, 3, 5, false}; }

StopRule warm_up_rule(const Options& options) { return {1.0, options.confidence, 2, 2, false}; }

}  // namespace commgauge::bench
