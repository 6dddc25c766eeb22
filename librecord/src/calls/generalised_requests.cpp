// Generalised requests: a program says itself when one is over, and a thread may wait for that.

#include "job/call.hpp"
#include "job/requests.hpp"
#include "mpi/real_calls.hpp"
#include "system/c_library.hpp"

namespace commgauge::record::real {

COMMGAUGE_BEHIND(Grequest_complete);
COMMGAUGE_BEHIND(Grequest_start);

}  // namespace commgauge::record::real

using namespace commgauge::record;

extern "C" {

int MPI_Grequest_start(MPI_Grequest_query_function* query, MPI_Grequest_free_function* free,
                       MPI_Grequest_cancel_function* cancel, void* state, MPI_Request* handle) {
  const auto work = [&] { return real::Grequest_start(query, free, cancel, state, handle); };
  COMMGAUGE_RECORDED("MPI_Grequest_start", work());
  return call(*recorder, name, work, [&](Recorder&) {
    Request request;
    request.kind = Request::Kind::generalised;
    request.real = *handle;
    *handle = to_handle(add(std::move(request)));
  });
}
decltype(MPI_Grequest_start) PMPI_Grequest_start __attribute__((alias("MPI_Grequest_start")));

/// What happens is written before anybody can find it over.
int MPI_Grequest_complete(MPI_Request handle) {
  MPI_Request* const known = real_of(&handle);
  COMMGAUGE_RECORDED("MPI_Grequest_complete", real::Grequest_complete(*known));
  recorder->begin(name);
  if (const auto number = number_of(handle)) {
    const std::uint32_t object = request_at(*number).object = threads::new_object();
    recorder->write(event::Release{object});
  }
  recorder->leave(name);
  left();
  return real::Grequest_complete(*known);
}
decltype(MPI_Grequest_complete) PMPI_Grequest_complete
    __attribute__((alias("MPI_Grequest_complete")));

#ifdef MPICH_VERSION
/// MPICH's own: the functions of that request are Fortran's.
void MPII_Grequest_set_lang_f77(MPI_Request handle) {
  static auto* const real =
      commgauge::preload::next<void(MPI_Request)>("MPII_Grequest_set_lang_f77");
  real(*real_of(&handle));
}
#endif

}  // extern "C"
