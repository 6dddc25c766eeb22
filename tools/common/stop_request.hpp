#pragma once

namespace commgauge::tools {

/// From here on SIGTERM, SIGINT and SIGUSR2 ask this process to stop instead of killing it.
/// Does nothing under SMPI, where all ranks are one process.
void accept_stop_requests();

/// Whether one of these signals has arrived.
[[nodiscard]] bool stop_requested();

}  // namespace commgauge::tools
