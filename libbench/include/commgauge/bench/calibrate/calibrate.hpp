#pragma once

#include <mpi.h>

#include "commgauge/bench/base/options.hpp"
#include "commgauge/bench/campaign/plan_summary.hpp"
#include "commgauge/measurements/measurements.hpp"
#include "commgauge/model/model.hpp"

namespace commgauge::bench {

/// Measures everything that the models need. Collective over `comm`.
///
/// Of many ranks that are alike a sample is measured (Options::classes): a survey of all hosts
/// finds which are. While the sample measures, the others sleep.
///
/// Duplicates the communicator, leaves its error handler alone, prints nothing, needs
/// MPI_THREAD_SINGLE. Ranks that have nothing to do sleep.
/// A cancelled or timed-out measurement is returned too, marked incomplete.
///
/// @return on rank 0 the measurements; elsewhere empty ones.
/// @throws InputError  on every rank: an option out of range, a size beyond INT_MAX.
/// @throws MpiError    an MPI call failed.
[[nodiscard]] Measurements measure(MPI_Comm comm, const Options& options = {});

/// Resumes a measurement from its checkpoint: the same experiments in the same order, without those
/// that are there. Of `options` callbacks, time budget (of this call alone) and `result` count; all
/// else is as it was asked for and decided then. Collective over `comm`.
///
/// @param checkpoint  on rank 0, what Options::keep was given last, or an incomplete result.
/// @return on rank 0 all that is measured now, in the one launch; elsewhere nothing.
/// @throws InputError  on every rank: `checkpoint` is complete, has no plan, or rows that don't
///                     follow it; other hosts, ranks, MPI library, version or environment.
/// @throws MpiError    an MPI call failed.
[[nodiscard]] Measurements resume(MPI_Comm comm, Measurements checkpoint,
                                  const Options& options = {});

/// Measures what thresholds are found from: the eager limit, then scatter and gather over sizes,
/// more of them near the breaks. Collective over `comm`, at least three ranks (two: the limit
/// only). Of the options those of sweeps, eager limit, time, wait, buffers, seed and confidence
/// count.
/// @return on rank 0 measurements without observations, for find_thresholds(); elsewhere nothing.
/// @throws as measure().
[[nodiscard]] Measurements measure_thresholds(MPI_Comm comm, const Options& options = {});

/// Runs a pilot only and says what measure() would do. Collective; meaningful on rank 0.
[[nodiscard]] PlanSummary plan(MPI_Comm comm, const Options& options = {});

/// Measures, fits, and returns the model on every rank (on rank 0 only with
/// Result::root_only: elsewhere an empty model). Collective over `comm`.
/// @throws as measure() and commgauge::fit(), the same on every rank.
[[nodiscard]] Model calibrate(MPI_Comm comm, const Options& options = {});

/// Measures just these experiments, one at a time, as for validation. Collective over `comm`.
/// @throws InputError  ranks that are not there, or twice; a size beyond INT_MAX.
/// @return on rank 0 an observation for each experiment; elsewhere nothing.
[[nodiscard]] Measurements measure_experiments(MPI_Comm comm,
                                               const std::vector<Experiment>& experiments,
                                               const Options& options = {});

}  // namespace commgauge::bench
