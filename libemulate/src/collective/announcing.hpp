#pragma once

#include "collective/members.hpp"
#include "rank/emulator.hpp"

namespace commgauge::emulate {

/// Each member of a collective operation says how it calls it, before it takes part.
/// @param own  what the others have to call alike, beside the function
/// @throws InputError  another member has called another function, or with other arguments
void announce(Emulator& e, const Members& members, CollectiveNote own = {});

}  // namespace commgauge::emulate
