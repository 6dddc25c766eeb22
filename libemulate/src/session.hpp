#pragma once

#include <memory>

#include "emulator.hpp"
#include "end.hpp"

namespace commgauge::emulate {

struct Session {
  std::unique_ptr<LiveWorld> live;
  std::unique_ptr<Emulator> emulator;
  double last_clock{};  ///< virtual time of MPI_Finalize's end [s]
  bool was_active{};
};
[[nodiscard]] Session& session();

}  // namespace commgauge::emulate

extern "C" {
/// For the launcher, when it can't start the program on this rank: other ranks may wait in MPI_Init
/// for ever if it just ends. So this process starts MPI only to end the whole job, with this line.
/// @return only if MPI can't be started
void commgauge_emulate_refuse(const char* problem);
}
