#pragma once

#include <memory>

#include "commgauge/base/exit_code.hpp"
#include "emulator.hpp"

namespace commgauge::emulate {

struct Session {
  std::unique_ptr<Emulator> emulator;
  double last_clock{};  ///< of what is over
  bool was_active{};
};
[[nodiscard]] Session& session();

/// The program goes on, and ends with this code where it would have ended with 0.
void end_with(ExitCode code);

/// The program has called MPI, here: it needn't be told at its end that it never did.
void emulation_is_reached();

}  // namespace commgauge::emulate

extern "C" {
/// For the launcher, which must not end where others may wait for it: this process starts MPI only
/// to end the job, with this line. @return only if MPI can't be started
void commgauge_emulate_refuse(const char* problem);
}
