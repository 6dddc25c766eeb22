#pragma once

#include <vector>

#include "collective_calls.hpp"
#include "emulator.hpp"

namespace commgauge::emulate {

using preload::CollectiveCall;
using preload::Neighbours;
using preload::PlaceOf;

/// Ranks of a job that do something together: who, which of them this one is, and what tells their
/// messages from others.
struct Members {
  CommunicatorPtr comm;
  std::vector<int> ranks;  ///< of the job; of an intercommunicator its own group's come first
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

/// Each member of a collective operation says how it calls it, before it takes part.
/// @param own  what the others have to call alike, beside the function
/// @throws InputError  another member has called another function, or with other arguments
void announce(Emulator& e, const Members& members, CollectiveNote own = {});

/// The call by the algorithm that --collectives takes for it.
Task carry_out(Members members, CollectiveCall call);
/// The same of an intercommunicator's members.
Task carry_out_between(Members members, CollectiveCall call);

// The emulation's own, whatever --collectives says.

/// Dissemination (Hensgen, Finkel, Manber 1988).
Task barrier(Members members);
/// Returns when all of them have come, in virtual time: then they can enter a collective call of
/// MPI itself. Costs what a barrier does.
void synchronise(Emulator& e, const Members& members);

/// Binomial tree.
Task broadcast(Members members, Place data, int root);

/// Sends to all destinations and receives from all sources at once.
Task exchange(Members members, Neighbours neighbours, PlaceOf out, PlaceOf in);

}  // namespace commgauge::emulate
