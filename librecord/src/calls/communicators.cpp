// Making and freeing communicators. MPI's own messages for that are not seen: they cost what a
// barrier's do, by dissemination, and all members leave together.

#include <algorithm>
#include <atomic>
#include <string>

#include "job/call.hpp"
#include "job/meeting.hpp"
#include "job/requests.hpp"
#include "mpi/real_calls.hpp"

using namespace commgauge::record;
using What = commgauge::schedule::Operation;
namespace trace = commgauge::trace;

namespace {

std::vector<int> both_sides(MPI_Comm inter) {
  std::vector<int> all;
  for (const auto group_of : {PMPI_Comm_group, PMPI_Comm_remote_group}) {
    MPI_Group group = MPI_GROUP_NULL;
    group_of(inter, &group);
    const std::vector<int> side = ranks_of_job(group);
    PMPI_Group_free(&group);
    all.insert(all.end(), side.begin(), side.end());
  }
  std::ranges::sort(all);
  return all;
}

/// Those who make something of a communicator together.
struct Makers {
  std::uint32_t context;
  int ranks;
};
Makers makers_of(const Communicator& comm) {
  if (!comm.is_inter) return {comm.context, comm.size()};
  return {context_of(both_sides(comm.handle), {comm.context}), comm.beside + comm.size()};
}

/// @param work  () → code
int creating(Recorder* recorder, const Name& name, MPI_Comm parent, MPI_Comm* result, auto&& work) {
  return call(*recorder, name, work, [&](Recorder& r) {
    const Communicator* const comm = communicator(r, parent, name);
    if (comm == nullptr) return adopt(*result);
    const Makers makers = makers_of(*comm);
    synchronise(r, makers.context, makers.ranks);
    adopt(*result, {comm->context});
  });
}

/// Of one that only its members make.
void write_creation(Recorder& r, const Name& name, const trace::Origin& origin, MPI_Comm result) {
  adopt(result, origin);
  if (result == MPI_COMM_NULL) return;
  const Communicator* const made = communicator(r, result, name);
  if (made != nullptr) synchronise(r, made->context, made->size());
}

/// Without waiting for the others, who don't meet. @param work  () → code
int duplicating(Recorder* recorder, const Name& name, MPI_Comm parent, MPI_Comm* result,
                MPI_Request* request, auto&& work) {
  return call(*recorder, name, work, [&](Recorder& r) {
    const Communicator* const comm = communicator(r, parent, name);
    if (comm == nullptr) return;
    const Makers makers = makers_of(*comm);
    Request started;
    started.kind = Request::Kind::collective;
    started.comm = comm;
    started.real = *request;
    started.made = std::make_unique<Request::Made>(Request::Made{result, like(*comm)});
    const std::uint32_t number = add(std::move(started));
    write_own(r, makers.context, What::barrier, makers.ranks, 0, 0, number);
    *request = to_handle(number);
  });
}

/// The leaders of both sides tell each other who is there.
void write_bridge(Recorder& r, const Communicator& bridge, int remote_leader, int tag,
                  std::uint64_t bytes) {
  const int peer = bridge.peer(remote_leader);
  const std::uint32_t context =
      context_of({std::min(session()->rank, peer), std::max(session()->rank, peer)},
                 {bridge.context, std::to_string(tag)});
  const auto add_operation = [] {
    Request request;
    request.kind = Request::Kind::operation;
    return add(std::move(request));
  };
  const std::uint32_t received = add_operation();
  r.write(event::Receive{received, peer, tag, context, bytes});
  const std::uint32_t sent = add_operation();
  r.write(event::Send{sent, peer, tag, context, bytes});
  const std::vector<trace::Over> over{{received, {peer, tag, bytes}}, {sent}};
  r.write(event::Wait{}, over);
  for (const trace::Over& part : over) remove(part.request);
}

/// A number that no other intercommunicator of these ranks has. Collective over both sides, and
/// apart from the recorder's lock: threads may make several at once, in another order in each rank.
trace::Origin origin_of(MPI_Comm local, MPI_Comm inter) {
  static std::atomic<int> made{0};
  int own = session()->size * made++ + session()->rank;
  int other = 0;
  mpi::Bcast(&own, 1, MPI_INT, 0, local);
  mpi::Allreduce(&own, &other, 1, MPI_INT, MPI_MAX, inter);
  return {.tag = std::to_string(std::min(own, other))};
}

/// Before MPI may give its handle to what another thread makes.
int freeing(Recorder* recorder, const Name& name, MPI_Comm freed, auto&& work) {
  {
    const threads::Held here;
    forget(freed);
  }
  return call(*recorder, name, work, [](Recorder&) {});
}

}  // namespace

#if MPI_VERSION >= 4
namespace commgauge::record::real {
COMMGAUGE_BEHIND(Comm_create_from_group);
COMMGAUGE_BEHIND(Intercomm_create_from_groups);
}  // namespace commgauge::record::real
#endif

// Collective over `comm`, which comes first; the new one comes last.
#define CREATING(NAME, PARAMETERS, ARGUMENTS)                             \
  int MPI_##NAME(MPI_Comm comm, PARAMETERS MPI_Comm* result) {            \
    const auto work = [&] { return real::NAME(comm, ARGUMENTS result); }; \
    COMMGAUGE_RECORDED("MPI_" #NAME, work());                             \
    return creating(recorder, name, comm, result, work);                  \
  }
#define P(...) __VA_ARGS__,

extern "C" {

CREATING(Comm_dup, , )
CREATING(Comm_dup_with_info, P(MPI_Info info), P(info))
CREATING(Comm_create, P(MPI_Group group), P(group))
CREATING(Comm_split, P(int color, int key), P(color, key))
CREATING(Comm_split_type, P(int type, int key, MPI_Info info), P(type, key, info))
CREATING(Cart_create, P(int dimensions, const int sizes[], const int periods[], int reorder),
         P(dimensions, sizes, periods, reorder))
CREATING(Cart_sub, P(const int remain[]), P(remain))
CREATING(Graph_create, P(int nodes, const int index[], const int edges[], int reorder),
         P(nodes, index, edges, reorder))
CREATING(Dist_graph_create,
         P(int n, const int sources[], const int degrees[], const int destinations[],
           const int weights[], MPI_Info info, int reorder),
         P(n, sources, degrees, destinations, weights, info, reorder))
CREATING(Dist_graph_create_adjacent,
         P(int in, const int sources[], const int source_weights[], int out,
           const int destinations[], const int destination_weights[], MPI_Info info, int reorder),
         P(in, sources, source_weights, out, destinations, destination_weights, info, reorder))

int MPI_Comm_idup(MPI_Comm comm, MPI_Comm* result, MPI_Request* request) {
  const auto work = [&] { return real::Comm_idup(comm, result, request); };
  COMMGAUGE_RECORDED("MPI_Comm_idup", work());
  return duplicating(recorder, name, comm, result, request, work);
}
#if MPI_VERSION >= 4
int MPI_Comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* result, MPI_Request* request) {
  const auto work = [&] { return real::Comm_idup_with_info(comm, info, result, request); };
  COMMGAUGE_RECORDED("MPI_Comm_idup_with_info", work());
  return duplicating(recorder, name, comm, result, request, work);
}
int PMPI_Comm_idup_with_info(MPI_Comm, MPI_Info, MPI_Comm*, MPI_Request*)
    __attribute__((alias("MPI_Comm_idup_with_info")));
#endif

int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* result) {
  const auto work = [&] { return real::Comm_create_group(comm, group, tag, result); };
  COMMGAUGE_RECORDED("MPI_Comm_create_group", work());
  return call(*recorder, name, work, [&](Recorder& r) {
    trace::Origin origin{.tag = std::to_string(tag)};
    if (const Communicator* const from = communicator(r, comm, name)) origin.parent = from->context;
    write_creation(r, name, origin, *result);
  });
}

int MPI_Intercomm_create(MPI_Comm local, int leader, MPI_Comm peer, int remote_leader, int tag,
                         MPI_Comm* result) {
  const auto create = [&] {
    return real::Intercomm_create(local, leader, peer, remote_leader, tag, result);
  };
  COMMGAUGE_RECORDED("MPI_Intercomm_create", create());
  trace::Origin origin;
  const auto work = [&] {
    const int code = create();
    if (code == MPI_SUCCESS) origin = origin_of(local, *result);
    return code;
  };
  return call(*recorder, name, work, [&](Recorder& r) {
    const Communicator* const comm = communicator(r, local, name);
    if (comm == nullptr) return;
    const auto bytes = static_cast<std::uint64_t>(session()->size);
    write_own(r, comm->context, What::barrier, comm->size());
    if (comm->rank == leader) {
      const Communicator* const bridge = communicator(r, peer, name);
      if (bridge != nullptr) write_bridge(r, *bridge, remote_leader, tag, bytes);
    }
    write_own(r, comm->context, What::bcast, comm->size(), leader, bytes);
    adopt(*result, origin);
    const Communicator* const made = communicator(r, *result, name);
    if (made != nullptr) write_meeting(r, made->context);
  });
}

int MPI_Intercomm_merge(MPI_Comm inter, int high, MPI_Comm* result) {
  const auto work = [&] { return real::Intercomm_merge(inter, high, result); };
  COMMGAUGE_RECORDED("MPI_Intercomm_merge", work());
  return call(*recorder, name, work, [&](Recorder& r) {
    const Communicator* const sides = communicator(r, inter, name);
    if (sides == nullptr) return;
    const Makers makers = makers_of(*sides);
    synchronise(r, makers.context, makers.ranks);
    adopt(*result, {sides->context});
  });
}

#if MPI_VERSION >= 4
int MPI_Comm_create_from_group(MPI_Group group, const char* tag, MPI_Info info,
                               MPI_Errhandler handler, MPI_Comm* result) {
  const auto work = [&] { return real::Comm_create_from_group(group, tag, info, handler, result); };
  COMMGAUGE_RECORDED("MPI_Comm_create_from_group", work());
  return call(*recorder, name, work,
              [&](Recorder& r) { write_creation(r, name, {.tag = tag}, *result); });
}
decltype(MPI_Comm_create_from_group) PMPI_Comm_create_from_group
    __attribute__((alias("MPI_Comm_create_from_group")));

int MPI_Intercomm_create_from_groups(MPI_Group local, int leader, MPI_Group remote,
                                     int remote_leader, const char* tag, MPI_Info info,
                                     MPI_Errhandler handler, MPI_Comm* result) {
  const auto work = [&] {
    return real::Intercomm_create_from_groups(local, leader, remote, remote_leader, tag, info,
                                              handler, result);
  };
  COMMGAUGE_RECORDED("MPI_Intercomm_create_from_groups", work());
  return call(*recorder, name, work, [&](Recorder& r) {
    const std::vector<int> all = both_sides(*result);
    synchronise(r, context_of(all, {.tag = tag}), static_cast<int>(all.size()));
    adopt(*result, {.tag = tag});
  });
}
decltype(MPI_Intercomm_create_from_groups) PMPI_Intercomm_create_from_groups
    __attribute__((alias("MPI_Intercomm_create_from_groups")));
#endif

int MPI_Comm_free(MPI_Comm* comm) {
  const auto work = [&] { return real::Comm_free(comm); };
  COMMGAUGE_RECORDED("MPI_Comm_free", work());
  return freeing(recorder, name, *comm, work);
}
int MPI_Comm_disconnect(MPI_Comm* comm) {
  const auto work = [&] { return real::Comm_disconnect(comm); };
  COMMGAUGE_RECORDED("MPI_Comm_disconnect", work());
  return freeing(recorder, name, *comm, work);
}

int MPI_Comm_set_name(MPI_Comm comm, const char* text) {
  const auto work = [&] { return real::Comm_set_name(comm, text); };
  COMMGAUGE_RECORDED("MPI_Comm_set_name", work());
  return call(*recorder, name, work, [&](Recorder& r) {
    const Communicator* const named = communicator(r, comm, name);
    if (named != nullptr) session()->writer->set_name(named->context, text);
  });
}

}  // extern "C"

#undef CREATING
#undef P
