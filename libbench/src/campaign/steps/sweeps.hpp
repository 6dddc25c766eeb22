#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "campaign/harness.hpp"
#include "commgauge/measurements/measurements.hpp"
#include "commgauge/measurements/sweep.hpp"

namespace commgauge::bench {

struct SweepResults {
  std::vector<Sweep> sweeps;  ///< on rank 0
  long blocks{};              ///< repetitions, each timed by itself
  long lost_blocks{};
  std::map<std::string, std::string> options;  ///< as given and as decided, for Launch::options
  std::optional<SweepRun> run;                 ///< nothing: nothing was swept
};

/// What a calibration sweeps: it only has to show where one-to-twos may be measured, and kappas.
[[nodiscard]] SweepOptions calibration_sweep(const Options& options);

/// As many sizes and repetitions as are asked for. Stopped, it returns what it has: see
/// Timekeeper::verdict(). Collective, three ranks or more.
[[nodiscard]] SweepResults measure_sweeps(Harness& harness);

/// Those of calibration_sweep(), in about half a second a rank and at most an eighth of the time
/// budget, more only where messages are slow. Collective, three ranks or more.
[[nodiscard]] SweepResults measure_calibration_sweeps(Harness& harness);

}  // namespace commgauge::bench
