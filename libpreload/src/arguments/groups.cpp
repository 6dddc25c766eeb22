#include "arguments/groups.hpp"

#include <cstddef>
#include <numeric>
#include <utility>

#include "program/mpi_library.hpp"

namespace commgauge::preload {

JobCommunicators& job_communicators() {
  static JobCommunicators only;
  return only;
}

#if MPI_VERSION >= 4
void make_job_communicators(MPI_Session session) {
  const auto of_set = [&](const char* set) {
    static const auto create = reinterpret_cast<decltype(&PMPI_Comm_create_from_group)>(
        function_of_mpi("PMPI_Comm_create_from_group"));
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Comm comm = MPI_COMM_NULL;
    PMPI_Group_from_session_pset(session, set, &group);
    create(group, set, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    PMPI_Group_free(&group);
    return comm;
  };
  job_communicators() = {of_set("mpi://WORLD"), of_set("mpi://SELF")};
}
#endif

void free_job_communicators() {
  static const auto free =
      reinterpret_cast<decltype(&PMPI_Comm_free)>(function_of_mpi("PMPI_Comm_free"));
  JobCommunicators made = std::exchange(job_communicators(), {});
  if (made.world != MPI_COMM_WORLD) free(&made.world);
  if (made.self != MPI_COMM_SELF) free(&made.self);
}

std::vector<int> ranks_of_job(MPI_Group group) {
  MPI_Group world = MPI_GROUP_NULL;
  PMPI_Comm_group(job_communicators().world, &world);
  int size = 0;
  PMPI_Group_size(group, &size);
  std::vector<int> own(static_cast<std::size_t>(size));
  std::iota(own.begin(), own.end(), 0);
  std::vector<int> ranks(own.size());
  PMPI_Group_translate_ranks(group, size, own.data(), world, ranks.data());
  PMPI_Group_free(&world);
  return ranks;
}

}  // namespace commgauge::preload
