#pragma once

namespace commgauge::tools {

/// From here on SIGTERM, SIGINT, SIGUSR1, SIGUSR2, SIGXCPU and SIGHUP (unless nohup has it ignored)
/// ask this process to stop instead of killing it. Does nothing under SMPI, where all ranks are one
/// process.
void accept_stop_requests();

/// As such a signal does. For signal handlers, too.
void request_stop();

/// Whether one of these signals has arrived.
[[nodiscard]] bool stop_requested();

}  // namespace commgauge::tools
