#include "job/call.hpp"

#include <array>

#include "mpi/world.hpp"
#include "rank/threads.hpp"

namespace commgauge::emulate {

Emulator& emulator() {
  Emulator* const own = threads::own();
  if (own == nullptr) {
    fail(ExitCode::bad_input,
         "MPI was called before MPI_Init or after MPI_Finalize (nothing is emulated "
         "there): call it in between");
  }
  return *own;
}

namespace {

bool is_fatal(MPI_Errhandler handler) {
#if MPI_VERSION >= 4
  if (handler == MPI_ERRORS_ABORT) return true;
#endif
  return handler == MPI_ERRORS_ARE_FATAL;
}

/// @param get  MPI_Errhandler of a handle
template <class Handle>
bool is_fatal_for(Handle handle, int (*get)(Handle, MPI_Errhandler*)) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  get(handle, &handler);
  const bool is = is_fatal(handler);
  PMPI_Errhandler_free(&handler);
  return is;
}
bool is_fatal_on(MPI_Comm comm) { return is_fatal_for(comm, PMPI_Comm_get_errhandler); }

MPI_Comm whose_handler(MPI_Comm comm) { return is_fatal_on(comm) ? world() : comm; }

/// Says which call failed, which MPI's own handlers don't know.
[[noreturn]] void fail_in_call(int code) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  PMPI_Error_string(code, text.data(), &length);
  const std::string call = emulator().call_name();
  fail(static_cast<ExitCode>(code), (call.empty() ? "a call" : call) + " fails on rank " +
                                        std::to_string(emulator().rank()) + " (" + text.data() +
                                        ", and errors are fatal there): correct the call, or set "
                                        "MPI_ERRORS_RETURN and look at what it returns");
}

}  // namespace

bool errors_are_fatal(MPI_Comm comm) { return is_fatal_on(whose_handler(comm)); }

int report_failure(const MpiFailure& failure) {
  if (failure.is_told) return failure.code;
  if (failure.window != MPI_WIN_NULL) {
    if (is_fatal_for(failure.window, PMPI_Win_get_errhandler)) fail_in_call(failure.code);
    PMPI_Win_call_errhandler(failure.window, failure.code);
    return failure.code;
  }
  const bool is_job = failure.comm == MPI_COMM_NULL || failure.comm == MPI_COMM_WORLD;
  const MPI_Comm comm = is_job ? world() : whose_handler(failure.comm);
  if (is_fatal_on(comm)) fail_in_call(failure.code);
  PMPI_Comm_call_errhandler(comm, failure.code);
  return failure.code;
}

}  // namespace commgauge::emulate
