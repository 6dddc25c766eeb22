// MPI's collective operations, blocking and not.

#include <vector>

#include "collective_algorithms.hpp"
#include "job.hpp"
#include "real_calls.hpp"
#include "threads.hpp"

using namespace commgauge::emulate;
using namespace commgauge::preload;
using What = commgauge::schedule::Operation;

namespace {

Task task_of(const Members& m, const CallOf& call_of) {
  const Communicator& comm = *m.comm;
  CollectiveCall call = call_of({m.own, m.size()});
  const int root = call.what.root;
  require(root >= 0 && root < m.size(), comm.handle, MPI_ERR_ROOT);
  if (!call.is_of_neighbours) return carry_out(m, call);
  const auto neighbours = neighbours_of(comm.handle, comm.peers);
  require(neighbours.has_value(), comm.handle, MPI_ERR_TOPOLOGY);
  return exchange(m, *neighbours, call.gives, call.gets);
}

/// @param call_of  () → CallOf
template <class Make>
int blocking(const char* name, MPI_Comm handle, Make&& call_of) {
  return call(name, [&](Emulator& e) {
    const Members members = members_of(group_communicator(handle));
    e.run(members.comm, task_of(members, call_of()));
  });
}

template <class Make>
int starting(const char* name, MPI_Comm handle, MPI_Request* request, Make&& call_of) {
  return call(name, [&](Emulator& e) {
    const Members members = members_of(group_communicator(handle));
    *request = to_handle(e.start_collective(members.comm, task_of(members, call_of())));
  });
}

/// A persistent operation, for MPI_Start.
template <class Make>
int preparing(const char* name, MPI_Comm handle, MPI_Request* result, Make&& call_of) {
  return call(name, [&](Emulator&) {
    const Members members = persistent_members_of(group_communicator(handle));
    auto request = std::make_unique<Request>();
    request->kind = Request::Kind::collective;
    request->comm = members.comm;
    request->persistent = true;
    request->active = false;
    request->make_task = [members, arguments = call_of()] { return task_of(members, arguments); };
    *result = to_handle(std::move(request));
  });
}

/// MPI lets a program free a type or operator that a pending operation still uses, but the
/// emulation uses the program's own handles. So they are freed when no collective operation is
/// left.
template <const auto& free, class Handle>
int freeing(Handle* handle, Handle none) {
  static std::vector<Handle> later;
  const threads::Inside here;
  if (is_active() && has_collectives() && *handle != none) {
    later.push_back(*handle);
    *handle = none;
    return MPI_SUCCESS;
  }
  for (Handle& one : later) free(&one);
  later.clear();
  return free(handle);
}

}  // namespace

// Defines MPI_NAME, MPI_INAME, and MPI_NAME_init.
#define COLLECTIVE(NAME, INAME, PARAMETERS, ARGUMENTS, CALL)                        \
  int MPI_##NAME(PARAMETERS MPI_Comm comm) {                                        \
    return blocking("MPI_" #NAME, comm, [&] { return CALL; });                      \
  }                                                                                 \
  int MPI_##INAME(PARAMETERS MPI_Comm comm, MPI_Request* request) {                 \
    return starting("MPI_" #INAME, comm, request, [&] { return CALL; });            \
  }                                                                                 \
  int MPI_##NAME##_init(PARAMETERS MPI_Comm comm, MPI_Info, MPI_Request* request) { \
    return preparing("MPI_" #NAME "_init", comm, request, [&] { return CALL; });    \
  }
#define P(...) __VA_ARGS__,

extern "C" {

#include "collectives.inc"

int MPI_Type_free(MPI_Datatype* type) { return freeing<real::Type_free>(type, MPI_DATATYPE_NULL); }
int MPI_Op_free(MPI_Op* op) { return freeing<real::Op_free>(op, MPI_OP_NULL); }

}  // extern "C"
