#pragma once

#include <functional>
#include <vector>

#include "commgauge/schedule/schedule.hpp"
#include "emulator.hpp"

namespace commgauge::emulate {

/// Ranks of a job that do something together: who, which of them this one is, and what tells their
/// messages from others.
struct Members {
  CommunicatorPtr comm;
  std::vector<int> ranks;  ///< of the job
  int own{};               ///< this one's place among them
  int context{};
  int tag{};  ///< this and the following 1 023

  [[nodiscard]] int size() const { return static_cast<int>(ranks.size()); }
};

/// Collective operations' tags are below this in size.
inline constexpr int tags_of_collectives = 1 << 30;

/// Of the next collective operation of a communicator.
[[nodiscard]] Members members_of(const CommunicatorPtr& comm);
/// Of the next persistent one, whenever it is started.
[[nodiscard]] Members persistent_members_of(const CommunicatorPtr& comm);

/// Where a block of a buffer lies: of which rank of the communicator, or which neighbour.
using PlaceOf = std::function<Place(int)>;

/// A collective operation as this rank calls it. MPI_IN_PLACE is dealt with.
struct CollectiveCall {
  schedule::Collective what;
  /// Where the data are that the rank gives to others, or has reduced: one place whatever the
  /// number, or that of the block for a rank.
  PlaceOf gives;
  PlaceOf gets;  ///< where the results go, likewise
  MPI_Op op{MPI_OP_NULL};
  MPI_Datatype type{MPI_BYTE};  ///< of the elements that `op` takes
};

/// The call by the algorithm that --collectives takes for it.
Task carry_out(Members members, CollectiveCall call);

// The emulation's own, whatever --collectives says.

/// Dissemination (Hensgen, Finkel, Manber 1988).
Task barrier(Members members);
/// Binomial tree.
Task broadcast(Members members, Place data, int root);

/// A rank's neighbours in its communicator's topology; MPI_PROC_NULL beyond a grid's border.
struct Neighbours {
  std::vector<int> sources;       ///< ranks of the job
  std::vector<int> destinations;  ///< ranks of the job
  bool is_grid{};  ///< neighbours 2d and 2d + 1 are those before and after in dimension d
};
[[nodiscard]] Neighbours neighbours_of(const Communicator& comm);
/// Sends to all destinations and receives from all sources at once.
Task exchange(Members members, Neighbours neighbours, PlaceOf out, PlaceOf in);

}  // namespace commgauge::emulate
