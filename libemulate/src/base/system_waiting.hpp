#pragma once

#include <sys/types.h>

namespace commgauge::emulate {

/// Which waits count: those without an end in time, or all.
enum class Waits { endless, all };

/// Whether a thread of this process waits in the system for what another does, or for something
/// from outside of the process. One that waits for another to change a word counts only without an
/// end.
[[nodiscard]] bool waits_for_another(pid_t thread, Waits which);

}  // namespace commgauge::emulate
