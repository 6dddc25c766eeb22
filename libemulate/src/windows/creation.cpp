// Windows: MPI makes and frees them, once all members are here in virtual time, as communicators.

#include <unistd.h>

#include <mutex>
#include <vector>

#include "collective/algorithms.hpp"
#include "collective/members.hpp"
#include "job/call.hpp"
#include "job/communicators.hpp"
#include "mpi/failure.hpp"
#include "mpi/real_calls.hpp"
#include "rank/threads.hpp"
#include "shared/remote_memory.hpp"
#include "windows/window.hpp"
#include "windows/window_memory.hpp"

namespace commgauge::emulate {

namespace {

void expose(Emulator& e, int count) {
  const std::lock_guard lock(e.world());
  e.world().expose(e.rank(), count);
}

template <class Value>
Value attribute(MPI_Win handle, int key) {
  void* value = nullptr;
  int is_set = 0;
  real::Win_get_attr(handle, key, static_cast<void*>(&value), &is_set);
  return is_set == 0 ? 0 : *static_cast<const Value*>(value);
}

/// Makes a new one known. Collective over its group.
/// @param base  its memory here. Not MPI_WIN_BASE, which MPICH 4.0.2 over UCX rounds to 16 bytes.
void adopt(Emulator& e, MPI_Win handle, const void* base, const CommunicatorPtr& parent) {
  auto adopted = std::make_shared<Window>();
  adopted->handle = handle;
  const int flavor = attribute<int>(handle, MPI_WIN_CREATE_FLAVOR);
  adopted->is_dynamic = flavor == MPI_WIN_FLAVOR_DYNAMIC;
  adopted->is_shared = flavor == MPI_WIN_FLAVOR_SHARED;
  struct Known {
    Window::Part part;
    int number;
  };
  Known own{{0, 0, 0, 1, getpid()}, parent->rank == 0 ? e.live().next_number() : 0};
  if (adopted->is_dynamic) {
    own.part.attached = make_attached(e.live());
  } else {
    own.part.base = reinterpret_cast<std::uint64_t>(base);
    own.part.bytes = static_cast<std::uint64_t>(attribute<MPI_Aint>(handle, MPI_WIN_SIZE));
    own.part.unit = attribute<int>(handle, MPI_WIN_DISP_UNIT);
  }
  open_memory();
  expose(e, 1);
  std::vector<Known> all(static_cast<std::size_t>(parent->size()));
  threads::outside([&] {
    return real::Allgather(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE,
                           parent->handle);
  });
  for (const Known& one : all) adopted->parts.push_back(one.part);
  adopted->comm = std::make_shared<Communicator>(*parent);
  adopted->comm->handle = MPI_COMM_WORLD;
  adopted->comm->id = simulate::first_window_context / 2 + all.front().number;
  adopted->comm->collectives = adopted->comm->persistent_collectives = 0;
  add_window(adopted);
}

/// @param make  (MPI_Win* result) → code
/// @param base  where the address of its memory stands then
template <class Make>
int creating(const char* name, MPI_Comm parent, MPI_Win* result, const void* base, Make&& make) {
  return call(name, [&](Emulator& e) {
    const CommunicatorPtr comm = group_communicator(parent);
    synchronise(e, members_of(comm));
    if (const int code = threads::outside([&] { return make(result); }); code != MPI_SUCCESS) {
      throw MpiFailure{parent, code};
    }
    adopt(e, *result, *static_cast<void* const*>(base), comm);
  });
}

}  // namespace

}  // namespace commgauge::emulate

using namespace commgauge::emulate;

extern "C" {

int MPI_Win_create(void* base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm,
                   MPI_Win* win) {
  return creating("MPI_Win_create", comm, win, &base, [&](MPI_Win* made) {
    return real::Win_create(base, size, unit, info, comm, made);
  });
}
int MPI_Win_create_c(void* base, MPI_Aint size, MPI_Aint unit, MPI_Info info, MPI_Comm comm,
                     MPI_Win* win) {
  return creating("MPI_Win_create_c", comm, win, &base, [&](MPI_Win* made) {
    return real::Win_create_c(base, size, unit, info, comm, made);
  });
}
int MPI_Win_allocate(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void* base,
                     MPI_Win* win) {
  return creating("MPI_Win_allocate", comm, win, base, [&](MPI_Win* made) {
    return real::Win_allocate(size, unit, info, comm, base, made);
  });
}
int MPI_Win_allocate_c(MPI_Aint size, MPI_Aint unit, MPI_Info info, MPI_Comm comm, void* base,
                       MPI_Win* win) {
  return creating("MPI_Win_allocate_c", comm, win, base, [&](MPI_Win* made) {
    return real::Win_allocate_c(size, unit, info, comm, base, made);
  });
}
int MPI_Win_allocate_shared(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void* base,
                            MPI_Win* win) {
  return creating("MPI_Win_allocate_shared", comm, win, base, [&](MPI_Win* made) {
    return real::Win_allocate_shared(size, unit, info, comm, base, made);
  });
}
int MPI_Win_allocate_shared_c(MPI_Aint size, MPI_Aint unit, MPI_Info info, MPI_Comm comm,
                              void* base, MPI_Win* win) {
  return creating("MPI_Win_allocate_shared_c", comm, win, base, [&](MPI_Win* made) {
    return real::Win_allocate_shared_c(size, unit, info, comm, base, made);
  });
}
int MPI_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win* win) {
  const void* const none = nullptr;
  return creating("MPI_Win_create_dynamic", comm, win, &none,
                  [&](MPI_Win* made) { return real::Win_create_dynamic(info, comm, made); });
}

/// MPICH 4.0.2 over UCX rounds the base to 16 bytes.
int MPI_Win_get_attr(MPI_Win win, int key, void* value, int* is_set) {
  const int code = real::Win_get_attr(win, key, value, is_set);
  if (code != MPI_SUCCESS || key != MPI_WIN_BASE || *is_set == 0) return code;
  return call_on("MPI_Win_get_attr", win, [&](Emulator&, const WindowPtr& asked) {
    const Window::Part& own = asked->parts[static_cast<std::size_t>(asked->comm->rank)];
    *static_cast<std::uint64_t*>(value) = own.base;
  });
}

int MPI_Win_free(MPI_Win* win) {
  return call_on("MPI_Win_free", *win, [&](Emulator& e, const WindowPtr& freed) {
    // Its entry in the table of windows goes.
    // NOLINTNEXTLINE(performance-unnecessary-copy-initialization)
    const WindowPtr kept = freed;
    const bool is_in_epoch =
        kept->is_locked() || kept->is_started || kept->is_posted || !kept->open.empty();
    require(!is_in_epoch, *kept, MPI_ERR_RMA_SYNC);
    synchronise(e, members_of(kept->comm));
    // Before MPI may give its handle to what another thread makes.
    remove_window(*win);
    if (const int code = threads::outside([&] { return real::Win_free(win); });
        code != MPI_SUCCESS) {
      add_window(kept);
      throw MpiFailure{MPI_COMM_WORLD, code};
    }
    expose(e, -1);
    free_attached(e.live(), kept->parts[static_cast<std::size_t>(kept->comm->rank)].attached);
    kept->handle = MPI_WIN_NULL;
  });
}

}  // extern "C"
