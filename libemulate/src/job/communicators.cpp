#include "job/communicators.hpp"

#include <unordered_map>
#include <utility>

#include "commgauge/base/error.hpp"
#include "job/call.hpp"
#include "mpi/failure.hpp"
#include "mpi/real_calls.hpp"
#include "mpi/world.hpp"
#include "rank/threads.hpp"

namespace commgauge::emulate {

namespace {

std::unordered_map<MPI_Comm, CommunicatorPtr>& communicators() {
  static auto& known = lasting<std::unordered_map<MPI_Comm, CommunicatorPtr>>();
  return known;
}

bool is_intercommunicator(MPI_Comm comm) {
  int is_inter = 0;
  PMPI_Comm_test_inter(comm, &is_inter);
  return is_inter != 0;
}

/// A new communicator's number, the same on every rank of it.
int agree_on_id(MPI_Comm comm, bool is_inter) {
  const threads::Outside meanwhile;
  MPI_Comm whole = comm;
  if (is_inter) real::Intercomm_merge(comm, 0, &whole);
  int rank = 0;
  PMPI_Comm_rank(whole, &rank);
  int id = rank == 0 ? emulator().live().next_number() : 0;
  real::Bcast(&id, 1, MPI_INT, 0, whole);
  if (is_inter) real::Comm_free(&whole);
  return id;
}

}  // namespace

const CommunicatorPtr& communicator(MPI_Comm comm) {
  // A thread's own, for it may use it still when another has asked for another.
  thread_local MPI_Comm latest = MPI_COMM_NULL;
  thread_local auto& known = lasting<CommunicatorPtr>();
  if (known && comm == latest && known->handle == comm) return known;
  const auto found = communicators().find(comm);
  if (found == communicators().end()) {
    if (comm == MPI_COMM_NULL) throw MpiFailure{MPI_COMM_WORLD, MPI_ERR_COMM};
    // One that is none, as after it was freed: MPI tells the program's handler itself.
    int is_inter = 0;
    if (const int code = PMPI_Comm_test_inter(comm, &is_inter); code != MPI_SUCCESS) {
      throw MpiFailure{.comm = MPI_COMM_WORLD, .code = code, .is_told = true};
    }
    throw InputError(
        "a communicator that the emulation does not know was given to it: make "
        "communicators of MPI_COMM_WORLD only");
  }
  latest = comm;
  known = found->second;
  return known;
}

const CommunicatorPtr& group_communicator(MPI_Comm comm) {
  const CommunicatorPtr& found = communicator(comm);
  require(!found->is_inter, comm, MPI_ERR_COMM);
  return found;
}

int peer_of(const Communicator& comm, int rank) {
  if (rank == MPI_PROC_NULL) return rank;
  require(rank >= 0 && rank < comm.size(), comm.handle, MPI_ERR_RANK);
  return comm.peers[static_cast<std::size_t>(rank)];
}

void adopt(MPI_Comm comm) {
  if (comm != MPI_COMM_NULL) adopt(comm, agree_on_id(comm, is_intercommunicator(comm)));
}

void adopt(MPI_Comm comm, int id) {
  auto adopted = std::make_shared<Communicator>();
  adopted->handle = comm;
  adopted->id = id;
  adopted->is_inter = is_intercommunicator(comm);
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Comm_group(comm, &group);
  adopted->peers = ranks_of_job(group);
  PMPI_Group_free(&group);
  if (adopted->is_inter) {
    adopted->beside = std::move(adopted->peers);
    PMPI_Comm_remote_group(comm, &group);
    adopted->peers = ranks_of_job(group);
    PMPI_Group_free(&group);
  }
  adopted->positions.assign(static_cast<std::size_t>(emulator().machine().ranks), -1);
  for (int i = 0; i < adopted->size(); ++i) {
    adopted->positions[static_cast<std::size_t>(adopted->peers[static_cast<std::size_t>(i)])] = i;
  }
  PMPI_Comm_rank(comm, &adopted->rank);
  communicators()[comm] = std::move(adopted);
}

void adopt_job() {
  const auto& [all, own] = preload::job_communicators();
  constexpr int number = 0;  // no other communicator's
  adopt(all, number);
  adopt(own, emulator().live().next_number());
  communicators()[MPI_COMM_WORLD] = communicators()[all];
  communicators()[MPI_COMM_SELF] = communicators()[own];
}

void forget(MPI_Comm comm) {
  if (const auto found = communicators().find(comm); found != communicators().end()) {
    found->second->handle = MPI_COMM_NULL;
    communicators().erase(found);
  }
}

}  // namespace commgauge::emulate
