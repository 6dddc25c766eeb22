#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "commgauge/costs/extended.hpp"
#include "commgauge/model/model.hpp"

namespace commgauge::bench {

/// The model of a machine that was calibrated before, for the ranks of a communicator: its hosts,
/// by name, are some of the model's, in any order, with any number of ranks (model_of_job()).
/// Nothing is measured. Rank r of what it returns is rank r of `comm`.
///
/// Collective over `comm`, the same result on every rank: a duplicate of the communicator, and one
/// allgather of where its ranks are, O(ranks). Needs MPI_THREAD_SINGLE, leaves the communicator's
/// error handler alone, prints nothing.
///
/// @param model  the same on every rank
/// @throws InputError  on every rank: as model_of_job(). @throws MpiError  an MPI call failed.
[[nodiscard]] LargerModel for_communicator(const Model& model, MPI_Comm comm);

/// The host of each rank, by the name that MPI gives it. Collective over `comm`, O(ranks).
/// @throws MpiError  an MPI call failed.
[[nodiscard]] std::vector<std::string> hosts_of(MPI_Comm comm);

/// The model that rank 0 has, on every rank. Collective over `comm`.
/// @param model  elsewhere without meaning. @throws MpiError  an MPI call failed.
[[nodiscard]] Model model_of_rank_0(const Model& model, MPI_Comm comm);

}  // namespace commgauge::bench
