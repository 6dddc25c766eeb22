#pragma once

#include <mpi.h>

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "job/communicator.hpp"
#include "job/requests.hpp"

/// Windows as a trace has them: contexts of their own, and accesses that are started and over.
namespace commgauge::record {

struct Window {
  std::uint32_t context{};  ///< the writer's number
  std::vector<int> peers;   ///< rank of the job by rank of its group
  OpenAccesses open;

  // Epochs. Whether locks and posts are asked for, or the program says that they needn't be
  // (MPI_MODE_NOCHECK), it says at their beginning.
  std::vector<int> targets;                ///< ranks of the job that it was started for
  std::vector<int> origins;                ///< ranks of the job that it was posted for
  std::vector<std::uint32_t> completions;  ///< receives of what these send
  std::map<int, bool> asked_locks;         ///< by target
  bool asks_lock_of_all{};

  [[nodiscard]] int size() const { return static_cast<int>(peers.size()); }
  [[nodiscard]] int peer(int target) const { return peers[static_cast<std::size_t>(target)]; }
};

/// Makes a new one known. @param parent  context of the communicator that it is made of
void adopt_window(MPI_Win handle, std::uint32_t parent);
/// Before it is freed: MPI may give its handle to what another thread makes. Nothing: not known.
[[nodiscard]] std::unique_ptr<Window> forget_window(MPI_Win handle);
/// nullptr: one that the recorder can't tell the members of. It notes that.
[[nodiscard]] Window* window(Recorder& recorder, MPI_Win handle, const Name& name);

/// An access is started. @param bytes  that go there. @param back  that come back
/// @return its request
std::uint32_t start_access(Recorder& recorder, Window& window, int target, trace::Effect effect,
                           std::uint64_t bytes = 0, std::uint64_t back = 0);

}  // namespace commgauge::record
