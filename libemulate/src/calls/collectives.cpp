// MPI's collective operations, blocking and not.

#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "collective/algorithms.hpp"
#include "collective/announcing.hpp"
#include "collective/members.hpp"
#include "job/call.hpp"
#include "job/communicators.hpp"
#include "job/requests.hpp"
#include "mpi/datatypes.hpp"
#include "mpi/failure.hpp"
#include "mpi/layout.hpp"
#include "mpi/real_calls.hpp"
#include "rank/request.hpp"
#include "rank/session.hpp"
#include "rank/threads.hpp"

using namespace commgauge::emulate;
using namespace commgauge::preload;
using What = commgauge::schedule::Operation;

namespace {

/// What the arguments of a call say. @throws MpiFailure  what MPI has against them
CollectiveCall made_by(const CallOf& call_of, const Caller& caller, MPI_Comm comm) {
  try {
    CollectiveCall call = call_of(caller);
    if (call.op == MPI_OP_NULL) return call;
    if (const int error = error_of(call.type); error != MPI_SUCCESS) throw WrongArgument{error};
    const bool may_fail = call.what.is_built_in && call.op != MPI_REPLACE && call.op != MPI_NO_OP;
    if (may_fail) require(!is_predefined(call.type) || takes(call.op, call.type), comm, MPI_ERR_OP);
    return call;
  } catch (const WrongArgument& wrong) {
    throw MpiFailure{comm, wrong.code};
  }
}

/// A call's arguments, which need not be there any more.
struct Arguments {
  CollectiveCall call;
  std::optional<Neighbours> neighbours;  ///< of an operation of neighbours
};

Caller caller_of(const Members& m) {
  const Communicator& comm = *m.comm;
  if (!comm.is_inter) return {m.own, m.size(), m.size()};
  return {m.own, comm.size(), static_cast<int>(comm.beside.size()), true};
}

/// @throws MpiFailure
Arguments arguments_of(const Members& m, const CallOf& call_of) {
  const Communicator& comm = *m.comm;
  Arguments all{made_by(call_of, caller_of(m), comm.handle), {}};
  CollectiveCall& call = all.call;
  if (comm.is_inter) {
    const bool is_for_one_group = call.is_of_neighbours || call.what.operation == What::scan ||
                                  call.what.operation == What::exscan;
    require(!is_for_one_group, comm.handle, MPI_ERR_COMM);
  } else if (call.is_of_neighbours) {
    all.neighbours = neighbours_of(comm.handle, comm.peers);
    require(all.neighbours.has_value(), comm.handle, MPI_ERR_TOPOLOGY);
    keep_blocks(call, *all.neighbours);
  }
  return all;
}

Task task_of(const Members& m, const Arguments& all) {
  if (m.comm->is_inter) return carry_out_between(m, all.call);
  if (!all.neighbours) return carry_out(m, all.call);
  return exchange(m, *all.neighbours, all.call.gives, all.call.gets);
}

/// Whether the same number of bytes belongs to it on all ranks.
bool has_one_size(What operation) {
  switch (operation) {
    case What::barrier:
    case What::gatherv:
    case What::scatterv:
    case What::alltoallv:
      return false;
    default:
      return true;
  }
}

bool has_root(What operation) {
  switch (operation) {
    case What::bcast:
    case What::reduce:
    case What::gather:
    case What::gatherv:
    case What::scatter:
    case What::scatterv:
      return true;
    default:
      return false;
  }
}

/// What a rank gives to others, or gets of the root where that alone gives.
Element elements_of(const CollectiveCall& call) {
  const What what = call.what.operation;
  if (what == What::barrier) return Element::unknown;
  const bool gets = what == What::scatter || what == What::scatterv;
  return element_of(gets ? call.gets(0).type : call.gives(0).type);
}

/// Between two groups roots, sizes and operators are as each of them has it.
CollectiveNote note_of(const Communicator& comm, const CollectiveCall& call) {
  CollectiveNote note;
  if (comm.is_inter || call.is_of_neighbours) return note;
  const commgauge::schedule::Collective& what = call.what;
  const std::uint64_t bytes =
      what.unit.value * std::reduce(what.counts.begin(), what.counts.end(), std::uint64_t{0});
  if (bytes > 0) note.elements = elements_of(call);
  if (call.op != MPI_OP_NULL && what.is_built_in) note.op = call.op;
  if (has_root(what.operation)) note.root = what.root;
  if (has_one_size(what.operation)) note.bytes = bytes;
  return note;
}

/// @throws MpiFailure, InputError
Arguments announced_arguments(const Members& members, const CallOf& call_of) {
  Arguments arguments = arguments_of(members, call_of);
  announce(emulator(), members, note_of(*members.comm, arguments.call));
  return arguments;
}

/// One that MPI refuses isn't counted: other ranks may not have called it.
Task next_task(const CommunicatorPtr& comm, const CallOf& call_of) {
  const Members members = members_of(comm);
  try {
    return task_of(members, announced_arguments(members, call_of));
  } catch (const MpiFailure&) {
    --comm->collectives;
    throw;
  }
}

/// @param call_of  () → CallOf
template <class Make>
int blocking(const char* name, MPI_Comm handle, Make&& call_of) {
  return call(name, [&](Emulator& e) {
    const CommunicatorPtr comm = communicator(handle);
    e.run(comm, next_task(comm, call_of()));
  });
}

template <class Make>
int starting(const char* name, MPI_Comm handle, MPI_Request* request, Make&& call_of) {
  return call(name, [&](Emulator& e) {
    const CommunicatorPtr comm = communicator(handle);
    *request = to_handle(e.start_collective(comm, next_task(comm, call_of())));
  });
}

/// A persistent operation, for MPI_Start.
template <class Make>
int preparing(const char* name, MPI_Comm handle, MPI_Request* result, Make&& call_of) {
  return call(name, [&](Emulator&) {
    const Members members = persistent_members_of(communicator(handle));
    auto request = std::make_unique<Request>();
    request->kind = Request::Kind::collective;
    request->comm = members.comm;
    request->persistent = true;
    request->active = false;
    request->make_task = [members, arguments = announced_arguments(members, call_of())] {
      return task_of(members, arguments);
    };
    *result = to_handle(std::move(request));
  });
}

/// MPI lets a program free a type or operator that a pending operation still uses, but the
/// emulation uses the program's own handles. So they are freed when no collective operation is
/// left.
template <const auto& free, class Handle>
int freeing(Handle* handle, Handle none) {
  static auto& later = lasting<std::vector<Handle>>();
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

#define TEXT(NAME) #NAME
#define TEXT_OF(NAME) TEXT(NAME)
#define P(...) __VA_ARGS__,

// Defines MPI_NAME, MPI_INAME, and MPI_NAME_init, by what FUNCTION makes of that.
#define COLLECTIVE(NAME, INAME, PARAMETERS, ARGUMENTS, CALL)                               \
  int FUNCTION(NAME)(PARAMETERS MPI_Comm comm) {                                           \
    return blocking(TEXT_OF(FUNCTION(NAME)), comm, [&] { return CALL; });                  \
  }                                                                                        \
  int FUNCTION(INAME)(PARAMETERS MPI_Comm comm, MPI_Request * request) {                   \
    return starting(TEXT_OF(FUNCTION(INAME)), comm, request, [&] { return CALL; });        \
  }                                                                                        \
  int FUNCTION(NAME##_init)(PARAMETERS MPI_Comm comm, MPI_Info, MPI_Request * request) {   \
    return preparing(TEXT_OF(FUNCTION(NAME##_init)), comm, request, [&] { return CALL; }); \
  }

extern "C" {

#define FUNCTION(NAME) MPI_##NAME
#define COUNT int
#define DISPLACEMENT int
#include "arguments/collectives.inc"
#undef FUNCTION
#undef COUNT
#undef DISPLACEMENT

#define HAS_LARGE_COUNTS
#define FUNCTION(NAME) MPI_##NAME##_c
#define COUNT MPI_Count
#define DISPLACEMENT MPI_Aint
#include "arguments/collectives.inc"

int MPI_Type_free(MPI_Datatype* type) {
  {
    const threads::Inside here;
    forget_layout(*type);
  }
  return freeing<real::Type_free>(type, MPI_DATATYPE_NULL);
}
int MPI_Op_free(MPI_Op* op) { return freeing<real::Op_free>(op, MPI_OP_NULL); }

}  // extern "C"

#undef TEXT
#undef TEXT_OF
#undef P
#undef COLLECTIVE
#undef FUNCTION
#undef COUNT
#undef DISPLACEMENT
#undef HAS_LARGE_COUNTS
