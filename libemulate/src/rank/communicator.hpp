#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

namespace commgauge::emulate {

/// A communicator as the emulation sees it.
struct Communicator {
  MPI_Comm handle{MPI_COMM_NULL};
  int id{};
  bool is_inter{};
  int rank{};
  std::vector<int> peers;      ///< rank of the job by rank of the (remote) group
  std::vector<int> positions;  ///< the reverse; −1: not in it
  std::vector<int> beside;     ///< of an intercommunicator: the same of the own group
  int collectives{};           ///< started so far
  int persistent_collectives{};

  [[nodiscard]] int size() const { return static_cast<int>(peers.size()); }
  /// All ranks of the job in it. Of an intercommunicator the own group's come first.
  [[nodiscard]] std::vector<int> members() const;
  /// The same on all ranks.
  [[nodiscard]] std::vector<int> sorted_members() const;
  [[nodiscard]] int program_context() const { return 2 * id; }
  [[nodiscard]] int collective_context() const { return 2 * id + 1; }
};
using CommunicatorPtr = std::shared_ptr<Communicator>;

}  // namespace commgauge::emulate
