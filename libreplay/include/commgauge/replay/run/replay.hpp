#pragma once

#include "commgauge/replay/run/options.hpp"
#include "commgauge/replay/run/result.hpp"
#include "commgauge/simulate/machine/machine.hpp"
#include "commgauge/trace/events/trace.hpp"

/// Recorded programs on the virtual machine.
namespace commgauge::replay {

/// Runs the recorded program. The same as the program itself takes under emulation, to the bit
/// where computing takes no time.
/// @throws InputError  a rank of the trace didn't come to its end, or does what can't be (rank,
///                     event, reason); the machine has not its number of ranks.
///         simulate::DeadlockError
[[nodiscard]] Result replay(const trace::Trace& trace, const simulate::Machine& machine,
                            const Options& options = {});

}  // namespace commgauge::replay
