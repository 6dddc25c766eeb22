// What the emulation doesn't cover ends the job at its first call. The list has every function of
// MPI 4.0 that communicates, synchronises or makes requests, and that no other file here has; what
// is left to MPI itself works on one rank alone. Without mpi.h, for the definitions here don't have
// its prototypes.

#include <string>

#include "rank/fail.hpp"

namespace commgauge::emulate {

namespace {

[[noreturn]] void refuse(const char* name) {
  fail(ExitCode::bad_input,
       std::string{name} +
           " is not emulated (its time would be wrong): use point-to-point messages or "
           "collective operations of MPI-3 instead");
}

}  // namespace

}  // namespace commgauge::emulate

#define UNCOVERED(NAME)                                        \
  extern "C" int NAME() { commgauge::emulate::refuse(#NAME); } \
  extern "C" int P##NAME() __attribute__((alias(#NAME)));
#include "arguments/uncovered_calls.inc"
