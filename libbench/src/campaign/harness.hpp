#pragma once

#include <mpi.h>

#include <vector>

#include "campaign/progress_reporter.hpp"
#include "campaign/timekeeper.hpp"
#include "clock/core_watch.hpp"
#include "commgauge/bench/base/options.hpp"
#include "commgauge/bench/clock/clock.hpp"
#include "commgauge/plan/rounds.hpp"
#include "messages/buffers.hpp"
#include "messages/communicator.hpp"
#include "messages/transport.hpp"
#include "ranks/provenance.hpp"
#include "timing/collective_timer.hpp"
#include "timing/experiment_runner.hpp"

namespace commgauge::bench {

/// What every step of a campaign measures with. Nothing in it depends on what a step found.
struct Harness {
  /// Collective: checks the options, meets the other ranks, prepares buffers.
  /// @throws InputError  on every rank: an option out of range, or not for so few ranks.
  /// @throws FitError    on every rank: a model that takes more ranks.
  Harness(MPI_Comm of_caller, const Options& asked);

  /// Collective: this rank's group of the round, while other groups do theirs.
  /// @return observations of the experiments of which this rank is the root.
  /// @throws FitError  on every rank: cancelled, or out of time.
  [[nodiscard]] std::vector<Observation> run_round(const Round& round, const StopRule& rule,
                                                   int pass = 0);

  Communicator comm;
  Options options;
  Clock clock;
  Places places;
  Timekeeper timekeeper;
  WaitMode wait;
  Transport transport;
  CoreWatch watch;
  StolenTime stolen;
  MessageBuffers buffers;
  CollectiveTimer collectives;
  ExperimentRunner runner;
  ProgressReporter progress;
};

}  // namespace commgauge::bench
