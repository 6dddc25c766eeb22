#pragma once

#include <mpi.h>

#include "commgauge/bench/calibrate/refreshed.hpp"
#include "commgauge/model/model.hpp"

namespace commgauge::bench {

/// Finds out whether a job's model still holds. A few round trips are measured, as the model was:
/// of each class of pairs, and of each host with two others. What drifted is corrected, with a
/// wider interval. The rest is kept.
///
/// Collective over `comm`, the same on every rank. Needs MPI_THREAD_SINGLE, starts no threads,
/// leaves the communicator's error handler alone, prints nothing. Measures O(hosts + classes)
/// pairs, disjoint ones at the same time if the model was measured so. Beside that it gathers the
/// times on rank 0 and broadcasts them. A job of one rank measures nothing.
///
/// @param job  rank r is rank r of `comm`: for_communicator()'s; the same on every rank
/// @throws InputError  on every rank: the model has another number of ranks, or predicts nothing.
/// @throws MpiError  an MPI call failed.
[[nodiscard]] Refreshed refresh(const Model& job, MPI_Comm comm,
                                const RefreshOptions& options = {});

}  // namespace commgauge::bench
