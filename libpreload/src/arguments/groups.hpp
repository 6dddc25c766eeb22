#pragma once

#include <mpi.h>

#include <vector>

namespace commgauge::preload {

/// All ranks of the job, and this one: MPI's own, or where a session alone has started MPI, which
/// makes none then, such as stand for them.
struct JobCommunicators {
  MPI_Comm world{MPI_COMM_WORLD};
  MPI_Comm self{MPI_COMM_SELF};
};
[[nodiscard]] JobCommunicators& job_communicators();

#if MPI_VERSION >= 4
/// Makes them of this session. Collective.
void make_job_communicators(MPI_Session session);
#endif
/// Before MPI ends.
void free_job_communicators();

/// The group's ranks as ranks of MPI_COMM_WORLD, in the group's order.
[[nodiscard]] std::vector<int> ranks_of_job(MPI_Group group);

}  // namespace commgauge::preload
