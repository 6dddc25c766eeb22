#pragma once

#include <mpi.h>

#include <new>

#include "commgauge/base/error.hpp"
#include "mpi/failure.hpp"
#include "rank/emulator.hpp"
#include "rank/fail.hpp"
#include "shared/live_world.hpp"

namespace commgauge::emulate {

/// This process' part of the job, between MPI_Init and MPI_Finalize. @throws InputError  elsewhere
[[nodiscard]] Emulator& emulator();

/// Whether an error ends the job: as MPICH has it, a communicator that nobody has given a handler
/// of its own uses MPI_COMM_WORLD's. One that was given MPI_ERRORS_ARE_FATAL isn't told from it.
[[nodiscard]] bool errors_are_fatal(MPI_Comm comm);

/// Calls the program's error handler, MPI_COMM_WORLD's of a communicator that is gone. @return the
/// code, if that returns
int report_failure(const MpiFailure& failure);

/// Does the work of one call of MPI. What goes wrong with the emulation ends the job.
/// @param name  nullptr: a call that a trace leaves out
template <class Work>
int call(const char* name, Work&& work) {
  int code = MPI_SUCCESS;
  try {
    emulator().enter(name);
    work(emulator());
  } catch (const MpiFailure& failure) {
    code = report_failure(failure);
  } catch (const DeadlockError& error) {
    fail(ExitCode::deadlock, error.what());
  } catch (const StallError& error) {
    fail(ExitCode::mpi_failed, error.what());
  } catch (const Error& error) {
    fail(ExitCode::bad_input, error.what());
  } catch (const std::bad_alloc&) {
    fail(ExitCode::bad_input, "out of memory: use fewer ranks or smaller messages");
  }
  emulator().leave();
  return code;
}

}  // namespace commgauge::emulate
