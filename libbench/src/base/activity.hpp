#pragma once

#include "commgauge/bench/base/activity.hpp"
#include "commgauge/measurements/experiment.hpp"

namespace commgauge::bench {

/// While it lives this rank has a part in an experiment.
class ExperimentUnderWay {
 public:
  explicit ExperimentUnderWay(const Experiment& experiment);
  ~ExperimentUnderWay();
  ExperimentUnderWay(const ExperimentUnderWay&) = delete;
  ExperimentUnderWay& operator=(const ExperimentUnderWay&) = delete;
};

/// While it lives this rank has no part in what the others measure.
class Asleep {
 public:
  Asleep();
  ~Asleep();
  Asleep(const Asleep&) = delete;
  Asleep& operator=(const Asleep&) = delete;
};

/// Something was done: a block of an experiment, or a step between two.
void note_step() noexcept;
/// Whether what has been measured outlives this process.
void note_kept(bool is_kept) noexcept;

}  // namespace commgauge::bench
