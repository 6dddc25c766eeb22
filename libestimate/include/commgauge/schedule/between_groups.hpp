#pragma once

#include "commgauge/schedule/choice.hpp"
#include "commgauge/schedule/schedule.hpp"

namespace commgauge::schedule {

/// Two groups that do something together, as one of their ranks sees them. In a schedule its own
/// group's ranks come first, from 0 on, then those of the other.
struct TwoGroups {
  int local{1};     ///< ranks of the caller's group
  int remote{1};    ///< of the other
  bool is_first{};  ///< the caller's group begins where they take turns
  friend bool operator==(const TwoGroups&, const TwoGroups&) = default;
};

// In place of a root, which is a rank of the other group:

inline constexpr int root_is_caller = -2;  ///< MPI_ROOT
inline constexpr int root_is_beside = -3;  ///< MPI_PROC_NULL: another rank of the caller's group

/// What one rank does in a collective operation between two groups, as MPICH 4.0 has it: each group
/// does its part within itself, by the choice's algorithms; first ranks speak with the other side.
///
/// @param what  `ranks` says nothing. `counts` are of what goes to the other group: to each of its
///              ranks, or from each of this group for each of its own in a reduce_scatter;
///              `counts_in` of what comes from it, where that differs (allgather, allgatherv,
///              alltoall, alltoallv). A gatherv's and scatterv's root has one for each rank.
/// @param rank  of the caller's group
/// @pre what.operation is neither scan nor exscan
[[nodiscard]] Schedule between_groups(const Collective& what, const TwoGroups& groups, int rank,
                                      const Choice& choice);

}  // namespace commgauge::schedule
