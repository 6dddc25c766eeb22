#pragma once

#include <functional>
#include <vector>

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

// Collective operations over point-to-point messages. Callers have dealt with MPI_IN_PLACE.
// docs/method.md names the algorithms.

/// Dissemination (Hensgen, Finkel, Manber 1988).
Task barrier(Members members);
/// Binomial tree.
Task broadcast(Members members, Place data, int root);
/// Binomial tree. `mine` and `result` may be the same; `result` counts at the root only.
Task reduce(Members members, const void* mine, Place result, MPI_Op op, int root);
/// To the first rank and back to all.
Task all_reduce(Members members, const void* mine, Place result, MPI_Op op);
/// Binomial tree; blocks of equal size. `blocks` counts at the root only.
Task gather(Members members, Place mine, PlaceOf blocks, int root);
Task scatter(Members members, Place mine, PlaceOf blocks, int root);
/// The root deals with one rank after the other.
Task gather_in_turn(Members members, Place mine, PlaceOf blocks, int root);
Task scatter_in_turn(Members members, Place mine, PlaceOf blocks, int root);
/// Ring. This rank's own block is in its place.
Task all_gather(Members members, PlaceOf blocks);
/// Pairwise: in step s with the ranks s after and before.
Task all_to_all(Members members, PlaceOf out, PlaceOf in);
/// One rank after the other. `result` holds this rank's own part.
Task scan(Members members, Place result, MPI_Op op);
/// The same without the own part. @param mine  this rank's own part
Task exclusive_scan(Members members, const void* mine, Place result, MPI_Op op);
/// Reduced to the first rank, then scattered in turn.
Task reduce_scatter(Members members, const void* mine, Place all, MPI_Op op,
                    std::vector<int> counts, Place result);

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
