// Making and freeing windows, which costs what making a communicator does.

#include "windows.hpp"

#include <algorithm>
#include <memory>
#include <unordered_map>

#include "meeting.hpp"
#include "real_calls.hpp"

namespace commgauge::record {

namespace {

std::unordered_map<MPI_Win, std::unique_ptr<Window>>& windows() {
  static std::unordered_map<MPI_Win, std::unique_ptr<Window>> known;
  return known;
}

void adopt_window(MPI_Win handle, std::uint32_t parent) {
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Win_get_group(handle, &group);
  auto adopted = std::make_unique<Window>();
  adopted->peers = ranks_of_job(group);
  PMPI_Group_free(&group);
  if (std::ranges::count(adopted->peers, MPI_UNDEFINED) > 0) return;
  adopted->context = session()->writer->communicator({"", adopted->peers, {}, true}, {parent});
  windows()[handle] = std::move(adopted);
}

/// Before it is freed: MPI may give its handle to what another thread makes.
std::unique_ptr<Window> take(MPI_Win handle) {
  const threads::Held here;
  auto known = windows().extract(handle);
  return known.empty() ? nullptr : std::move(known.mapped());
}

/// @param work  () → code
int creating(Recorder* recorder, const Name& name, MPI_Comm parent, MPI_Win* result, auto&& work) {
  return call(*recorder, name, work, [&](Recorder& r) {
    const Communicator* const comm = communicator(r, parent, name);
    if (comm == nullptr) return;
    synchronise(r, comm->context, comm->size());
    adopt_window(*result, comm->context);
  });
}

}  // namespace

Window* window(Recorder& recorder, MPI_Win handle, const Name& name) {
  const auto found = windows().find(handle);
  if (found != windows().end()) return found->second.get();
  leave_out_unknown(recorder, name);
  return nullptr;
}

std::uint32_t start_access(Recorder& recorder, Window& window, int target, trace::Effect effect,
                           std::uint64_t bytes, std::uint64_t back) {
  Request request;
  request.kind = Request::Kind::operation;
  Event event;
  event.kind = Event::Kind::access;
  event.context = window.context;
  event.peer = window.peer(target);
  event.effect = effect;
  event.bytes = bytes;
  event.found_bytes = back;
  event.request = add(std::move(request));
  recorder.write(event);
  return event.request;
}

namespace real {

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

}  // namespace real

}  // namespace commgauge::record

using namespace commgauge::record;

// Collective over `comm`; the new one comes last.
#define CREATING(NAME, PARAMETERS, ARGUMENTS)               \
  int MPI_##NAME PARAMETERS {                               \
    const auto work = [&] { return real::NAME ARGUMENTS; }; \
    COMMGAUGE_RECORDED("MPI_" #NAME, work());               \
    return creating(recorder, name, comm, win, work);       \
  }                                                         \
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
  const std::unique_ptr<Window> freed = take(*win);
  return call(*recorder, name, work, [&](Recorder& r) {
    if (freed == nullptr) return leave_out_unknown(r, name);
    synchronise(r, freed->context, freed->size());
  });
}
int PMPI_Win_free(MPI_Win*) __attribute__((alias("MPI_Win_free")));

}  // extern "C"
