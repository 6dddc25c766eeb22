#pragma once

namespace commgauge::emulate {

class Emulator;
class LiveWorld;

/// The emulation in this process. Set by run/start_and_end.cpp, which owns both; nullptr before
/// MPI's start and after its end.
struct Session {
  LiveWorld* live{};
  Emulator* emulator{};  ///< of the rank's first thread
  bool was_active{};     ///< MPI has been started, and may have ended
};
[[nodiscard]] inline Session& session() {
  static constinit Session only;
  return only;
}
[[nodiscard]] inline bool is_active() { return session().emulator != nullptr; }

}  // namespace commgauge::emulate
