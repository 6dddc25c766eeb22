// Making and freeing windows, which costs what making a communicator does.

#include <memory>

#include "job/call.hpp"
#include "job/meeting.hpp"
#include "job/windows.hpp"
#include "mpi/real_calls.hpp"

namespace commgauge::record::real {

COMMGAUGE_BEHIND(Win_allocate);
COMMGAUGE_BEHIND(Win_allocate_shared);
COMMGAUGE_BEHIND(Win_create);
COMMGAUGE_BEHIND(Win_create_dynamic);
COMMGAUGE_BEHIND(Win_free);
#if MPI_VERSION >= 4
COMMGAUGE_BEHIND(Win_allocate_c);
COMMGAUGE_BEHIND(Win_allocate_shared_c);
COMMGAUGE_BEHIND(Win_create_c);
#endif

}  // namespace commgauge::record::real

using namespace commgauge::record;

namespace {

/// @param work  () → code
int creating_window(Recorder* recorder, const Name& name, MPI_Comm parent, MPI_Win* result,
                    auto&& work) {
  return call(*recorder, name, work, [&](Recorder& r) {
    const Communicator* const comm = communicator(r, parent, name);
    if (comm == nullptr) return;
    synchronise(r, comm->context, comm->size());
    adopt_window(*result, comm->context);
  });
}

}  // namespace

// Collective over `comm`; the new one comes last.
#define CREATING(NAME, PARAMETERS, ARGUMENTS)                \
  int MPI_##NAME PARAMETERS {                                \
    const auto work = [&] { return real::NAME ARGUMENTS; };  \
    COMMGAUGE_RECORDED("MPI_" #NAME, work());                \
    return creating_window(recorder, name, comm, win, work); \
  }                                                          \
  int PMPI_##NAME PARAMETERS __attribute__((alias("MPI_" #NAME)));

extern "C" {

CREATING(Win_create,
         (void* base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, MPI_Win* win),
         (base, size, unit, info, comm, win))
CREATING(Win_allocate,
         (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void* base, MPI_Win* win),
         (size, unit, info, comm, base, win))
CREATING(Win_allocate_shared,
         (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void* base, MPI_Win* win),
         (size, unit, info, comm, base, win))
CREATING(Win_create_dynamic, (MPI_Info info, MPI_Comm comm, MPI_Win* win), (info, comm, win))
#if MPI_VERSION >= 4
CREATING(Win_create_c,
         (void* base, MPI_Aint size, MPI_Aint unit, MPI_Info info, MPI_Comm comm, MPI_Win* win),
         (base, size, unit, info, comm, win))
CREATING(Win_allocate_c,
         (MPI_Aint size, MPI_Aint unit, MPI_Info info, MPI_Comm comm, void* base, MPI_Win* win),
         (size, unit, info, comm, base, win))
CREATING(Win_allocate_shared_c,
         (MPI_Aint size, MPI_Aint unit, MPI_Info info, MPI_Comm comm, void* base, MPI_Win* win),
         (size, unit, info, comm, base, win))
#endif

int MPI_Win_free(MPI_Win* win) {
  const auto work = [&] { return real::Win_free(win); };
  COMMGAUGE_RECORDED("MPI_Win_free", work());
  const std::unique_ptr<Window> freed = forget_window(*win);
  return call(*recorder, name, work, [&](Recorder& r) {
    if (freed == nullptr) return leave_out_unknown(r, name);
    synchronise(r, freed->context, freed->size());
  });
}
int PMPI_Win_free(MPI_Win*) __attribute__((alias("MPI_Win_free")));

}  // extern "C"

#undef CREATING
