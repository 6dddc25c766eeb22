#pragma once

#include <mpi.h>

#include "rank/communicator.hpp"

/// Communicators that programs have handles of.
namespace commgauge::emulate {

/// @throws MpiFailure  no communicator. @throws InputError  not one that the emulation knows
[[nodiscard]] const CommunicatorPtr& communicator(MPI_Comm comm);
/// The same: also @throws MpiFailure  an intercommunicator
[[nodiscard]] const CommunicatorPtr& group_communicator(MPI_Comm comm);
/// A rank of it as one of the job, or MPI_PROC_NULL. @throws MpiFailure  none of its ranks
[[nodiscard]] int peer_of(const Communicator& comm, int rank);
/// Makes a new one known. Collective over it.
void adopt(MPI_Comm comm);
/// The same, not collective. @param id  its number, the same on every rank of it
void adopt(MPI_Comm comm, int id);
/// All ranks', and this one's: also where the names of MPI's own stand for others.
void adopt_job();
void forget(MPI_Comm comm);

}  // namespace commgauge::emulate
