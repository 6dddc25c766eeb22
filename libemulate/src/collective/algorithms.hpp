#pragma once

#include "arguments/collective_calls.hpp"
#include "collective/members.hpp"
#include "rank/emulator.hpp"

namespace commgauge::emulate {

using preload::CollectiveCall;
using preload::Neighbours;
using preload::PlaceOf;

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
