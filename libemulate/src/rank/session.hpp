#pragma once

namespace commgauge::emulate {

class Emulator;
class LiveWorld;

/// The emulation in this process. nullptr: before MPI's start or after its end
struct Session {
  LiveWorld* live{};
  Emulator* emulator{};  ///< of the rank's first thread
  bool was_active{};
};
[[nodiscard]] inline Session& session() {
  static constinit Session only;
  return only;
}
[[nodiscard]] inline bool is_active() { return session().emulator != nullptr; }

}  // namespace commgauge::emulate
