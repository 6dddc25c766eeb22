// Sessions: MPI starts with the first of them, too, and ends with the last.

#include "job/call.hpp"
#include "mpi/real_calls.hpp"
#include "run/recording.hpp"

#if MPI_VERSION >= 4

namespace commgauge::record::real {

COMMGAUGE_BEHIND(Session_finalize);
COMMGAUGE_BEHIND(Session_init);

}  // namespace commgauge::record::real

using namespace commgauge::record;

extern "C" {

int MPI_Session_init(MPI_Info info, MPI_Errhandler handler, MPI_Session* session) {
  return start_mpi(COMMGAUGE_CALLED_FROM, "MPI_Session_init", [&] {
    const int code = real::Session_init(info, handler, session);
    const bool is_first = code == MPI_SUCCESS && !has_started_mpi();
    if (is_first) commgauge::preload::make_job_communicators(*session);
    return code;
  });
}
decltype(MPI_Session_init) PMPI_Session_init __attribute__((alias("MPI_Session_init")));

int MPI_Session_finalize(MPI_Session* session) {
  if (*session == MPI_SESSION_NULL) return real::Session_finalize(session);
  return end_mpi(COMMGAUGE_CALLED_FROM, "MPI_Session_finalize",
                 [&] { return real::Session_finalize(session); });
}
decltype(MPI_Session_finalize) PMPI_Session_finalize __attribute__((alias("MPI_Session_finalize")));

}  // extern "C"

#endif
