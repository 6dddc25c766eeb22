#pragma once

#include <mpi.h>

#include "campaign/harness.hpp"

namespace commgauge::bench {

/// Few and short repetitions: these tests look at structure, not at speed.
inline Options quick_options() {
  Options options;
  options.models = {"hockney"};
  options.passes = 3;
  options.min_reps = options.max_reps = 3;
  options.largest = Bytes{4096};
  options.probe_eager_limit = false;
  options.sweeps.enabled = false;
  return options;
}

}  // namespace commgauge::bench
