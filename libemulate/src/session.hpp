#pragma once

#include <memory>

#include "commgauge/base/exit_code.hpp"
#include "emulator.hpp"

namespace commgauge::emulate {

struct Session {
  std::unique_ptr<LiveWorld> live;
  std::unique_ptr<Emulator> emulator;
  double last_clock{};  ///< virtual time of MPI_Finalize's end [s]
  bool was_active{};
};
[[nodiscard]] Session& session();

/// The program goes on, and ends with this code where it would have ended with 0.
void end_with(ExitCode code);

/// Notes that the program has called MPI where the emulation sees it: else its end says that it
/// didn't.
void emulation_is_reached();

}  // namespace commgauge::emulate

extern "C" {
/// For the launcher, when it can't start the program on this rank: other ranks may wait in MPI_Init
/// for ever if it just ends. So this process starts MPI only to end the whole job, with this line.
/// @return only if MPI can't be started
void commgauge_emulate_refuse(const char* problem);
}
