#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "arguments/groups.hpp"
#include "commgauge/trace/write/origin.hpp"
#include "recorder/recorder.hpp"

/// The communicators of the job that is recorded, as far as the recorder knows their members.
namespace commgauge::record {

struct Communicator {
  MPI_Comm handle{MPI_COMM_NULL};
  std::uint32_t context{};  ///< the writer's number
  bool is_inter{};
  int rank{};
  std::vector<int> peers;  ///< rank of the job by rank of the (remote) group
  int beside{};            ///< ranks of the own group, of an intercommunicator

  [[nodiscard]] int size() const { return static_cast<int>(peers.size()); }
  [[nodiscard]] int peer(int rank_of_it) const {
    return peers[static_cast<std::size_t>(rank_of_it)];
  }
};

/// Of a call on something that the recorder can't tell the members of.
void leave_out_unknown(Recorder& recorder, const Name& name);
/// nullptr: one that the recorder can't tell the members of. It notes that.
[[nodiscard]] const Communicator* communicator(Recorder& recorder, MPI_Comm comm, const Name& name);
/// Makes a new one known. MPI_COMM_NULL is passed over.
void adopt(MPI_Comm comm, const trace::Origin& origin = {});
/// The same of one that isn't made yet: another's duplicate.
[[nodiscard]] Communicator like(const Communicator& other);
void adopt_made(MPI_Comm comm, Communicator made);
void forget(MPI_Comm comm);
/// Of some ranks of the job who do something together without a communicator of their own.
[[nodiscard]] std::uint32_t context_of(std::vector<int> ranks, const trace::Origin& origin = {});
using preload::ranks_of_job;

}  // namespace commgauge::record
