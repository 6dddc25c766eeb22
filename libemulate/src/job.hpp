#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "commgauge/base/error.hpp"
#include "commgauge/base/exit_code.hpp"
#include "emulator.hpp"
#include "groups.hpp"

namespace commgauge::emulate {

/// This process' part of the job, between MPI_Init and MPI_Finalize. @throws InputError  elsewhere
[[nodiscard]] Emulator& emulator();
[[nodiscard]] bool is_active();

/// Says `emulate: text` and ends the whole job.
[[noreturn]] void fail(ExitCode code, const std::string& text);

/// @throws MpiFailure  unless it holds
inline void require(bool holds, MPI_Comm comm, int code) {
  if (!holds) throw MpiFailure{comm, code};
}

/// @throws MpiFailure  what MPI itself has said against a call, if it has
inline void require_success(int code, MPI_Comm comm) {
  if (code != MPI_SUCCESS) throw MpiFailure{comm, code, true};
}

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
  } catch (const Error& error) {
    fail(ExitCode::bad_input, error.what());
  } catch (const std::bad_alloc&) {
    fail(ExitCode::bad_input, "out of memory: use fewer ranks or smaller messages");
  }
  emulator().leave();
  return code;
}

/// @throws MpiFailure  no communicator. @throws InputError  not one that the emulation knows
[[nodiscard]] const CommunicatorPtr& communicator(MPI_Comm comm);
/// The same: also @throws MpiFailure  an intercommunicator
[[nodiscard]] const CommunicatorPtr& group_communicator(MPI_Comm comm);
/// Makes a new one known. Collective over it.
void adopt(MPI_Comm comm);
/// The same, not collective. @param id  its number, the same on every rank of it
void adopt(MPI_Comm comm, int id);
/// All ranks', and this one's: also where the names of MPI's own stand for others.
void adopt_job();
void forget(MPI_Comm comm);
using preload::ranks_of_job;
/// All ranks of the job, for MPI itself.
[[nodiscard]] inline MPI_Comm world() { return preload::job_communicators().world; }

// Handles for programs.
[[nodiscard]] MPI_Request to_handle(std::unique_ptr<Request> request);
/// nullptr for MPI_REQUEST_NULL. @throws InputError  a request of something uncovered
[[nodiscard]] Request* from_handle(MPI_Request handle);
void free_handle(MPI_Request& handle);
[[nodiscard]] std::unique_ptr<Request> take_handle(MPI_Request& handle);
/// Operations that the program has begun, and neither waited for nor freed.
[[nodiscard]] int open_operations();
/// Whether a collective operation is under way, or a program holds a request of one, to be started
/// again.
[[nodiscard]] bool has_collectives();

}  // namespace commgauge::emulate
