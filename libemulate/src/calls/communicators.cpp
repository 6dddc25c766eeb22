// Making and freeing communicators: MPI does it, once all members are here in virtual time. One
// that waited inside MPI for another could take no part in the emulation's decisions meanwhile.

#include <algorithm>
#include <array>

#include "collective/algorithms.hpp"
#include "collective/announcing.hpp"
#include "collective/members.hpp"
#include "job/call.hpp"
#include "job/communicators.hpp"
#include "job/requests.hpp"
#include "mpi/failure.hpp"
#include "mpi/real_calls.hpp"
#include "mpi/world.hpp"
#include "rank/request.hpp"
#include "rank/threads.hpp"

using namespace commgauge::emulate;

namespace {

int place_of(int rank, const std::vector<int>& ranks) {
  return static_cast<int>(std::ranges::find(ranks, rank) - ranks.begin());
}

/// Of an intercommunicator both groups, in the same order on both sides.
Members all_of(const Emulator& e, const CommunicatorPtr& comm) {
  Members members = members_of(comm);
  members.ranks = comm->sorted_members();
  members.own = place_of(e.rank(), members.ranks);
  return members;
}

/// A communicator that MPI itself makes meanwhile, by its own messages. Those go on whenever its
/// members are in a call of MPI or wait in one of the emulation: see LiveWorld::set_meanwhile().
struct Duplicate {
  MPI_Comm comm{MPI_COMM_NULL};
  int id{};
  MPI_Request made{MPI_REQUEST_NULL};
  int code{MPI_SUCCESS};  ///< what MPI says of it, once it is over

  bool is_over() {
    int is = 0;
    if (made != MPI_REQUEST_NULL) code = real::Test(&made, &is, MPI_STATUS_IGNORE);
    return made == MPI_REQUEST_NULL || code != MPI_SUCCESS;
  }
  void wait() {
    if (made != MPI_REQUEST_NULL && code == MPI_SUCCESS) {
      code = real::Wait(&made, MPI_STATUS_IGNORE);
    }
  }
};
using DuplicatePtr = std::shared_ptr<Duplicate>;

void go_on_meanwhile(Emulator& e, const DuplicatePtr& added) {
  static auto& open = lasting<std::vector<DuplicatePtr>>();
  open.push_back(added);
  e.live().set_meanwhile([] {
    std::erase_if(open, [](const DuplicatePtr& one) { return one->is_over(); });
    return !open.empty();
  });
}

/// When all members have called it in virtual time, all have told MPI itself to make it: that ends.
/// @throws MpiFailure  MPI couldn't
Task duplicating(Members members, DuplicatePtr made, MPI_Comm* result) {
  co_await barrier(std::move(members));
  made->wait();
  if (made->code != MPI_SUCCESS) throw MpiFailure{MPI_COMM_WORLD, made->code, true};
  adopt(made->comm, made->id);
  *result = made->comm;
}

/// @param make  (MPI_Comm* made, MPI_Request*) → code
template <class Make>
int duplicating(const char* name, MPI_Comm parent, MPI_Comm* result, MPI_Request* request,
                Make&& make) {
  return call(name, [&](Emulator& e) {
    const CommunicatorPtr comm = communicator(parent);
    Members members = all_of(e, comm);
    announce(e, members);
    auto made = std::make_shared<Duplicate>();
    require_success(make(&made->comm, &made->made), parent);
    made->id = e.live().number_for(members.context, members.tag, members.size());
    go_on_meanwhile(e, made);
    *request = to_handle(e.start_collective(comm, duplicating(std::move(members), made, result)));
  });
}

/// @param make  (MPI_Comm* result) → code
template <class Make>
int creating(const char* name, MPI_Comm parent, MPI_Comm* result, Make&& make) {
  return call(name, [&](Emulator& e) {
    const CommunicatorPtr comm = communicator(parent);
    require(result != nullptr, parent, MPI_ERR_ARG);
    synchronise(e, all_of(e, comm));
    require_success(threads::outside([&] { return make(result); }), parent);
    adopt(*result);
  });
}

/// First rank of the job on the same host of the emulated machine.
int host_number(const Emulator& e, int rank) {
  const auto& hosts = e.machine().hosts;
  return static_cast<int>(std::ranges::find(hosts, hosts[static_cast<std::size_t>(rank)]) -
                          hosts.begin());
}

/// Of ranks that share something. @param color  MPI_UNDEFINED: of none
int split(MPI_Comm comm, int color, int key, MPI_Info info, MPI_Comm* made) {
  const int code = real::Comm_split(comm, color, key, made);
  if (code != MPI_SUCCESS || *made == MPI_COMM_NULL || info == MPI_INFO_NULL) return code;
  return PMPI_Comm_set_info(*made, info);
}

#ifdef MPIX_COMM_TYPE_NEIGHBORHOOD
/// MPICH finds out who sees a directory by files, on a communicator of its own, and so through the
/// emulation. Here all ranks see it. @return whether all ask for the same one
bool ask_for_a_directory(MPI_Comm comm, int type, MPI_Info info) {
  constexpr std::size_t room = MPI_MAX_INFO_VAL + 1;
  std::array<char, room> own{};
  std::array<char, room> first{};
  int is_given = 0;
  if (type == MPIX_COMM_TYPE_NEIGHBORHOOD && info != MPI_INFO_NULL) {
    PMPI_Info_get(info, "nbhd_common_dirname", room - 1, own.data(), &is_given);
  }
  first = own;
  real::Bcast(first.data(), room, MPI_CHAR, 0, comm);
  int agree = is_given != 0 && own == first ? 1 : 0;
  real::Allreduce(MPI_IN_PLACE, &agree, 1, MPI_INT, MPI_MIN, comm);
  return agree != 0;
}
#endif

Members members_of_group(const Emulator& e, const CommunicatorPtr& comm, MPI_Group group, int tag) {
  const std::vector<int> ranks = ranks_of_job(group);
  return {comm, ranks, place_of(e.rank(), ranks), comm->collective_context(),
          tags_of_collectives + tag};
}

int freeing(const char* name, MPI_Comm* comm, int (*free)(MPI_Comm*)) {
  return call(name, [&](Emulator&) {
    const MPI_Comm handle = *comm;
    require_success(free(comm), MPI_COMM_WORLD);
    forget(handle);
  });
}

}  // namespace

extern "C" {

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* result) {
  return creating("MPI_Comm_dup", comm, result,
                  [&](MPI_Comm* made) { return real::Comm_dup(comm, made); });
}
int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* result) {
  return creating("MPI_Comm_dup_with_info", comm, result,
                  [&](MPI_Comm* made) { return real::Comm_dup_with_info(comm, info, made); });
}
int MPI_Comm_idup(MPI_Comm comm, MPI_Comm* result, MPI_Request* request) {
  return duplicating("MPI_Comm_idup", comm, result, request, [&](MPI_Comm* made, MPI_Request* r) {
    return real::Comm_idup(comm, made, r);
  });
}
#if MPI_VERSION >= 4
int MPI_Comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* result, MPI_Request* request) {
  return duplicating("MPI_Comm_idup_with_info", comm, result, request,
                     [&](MPI_Comm* made, MPI_Request* r) {
                       return real::Comm_idup_with_info(comm, info, made, r);
                     });
}
#endif
int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* result) {
  return creating("MPI_Comm_create", comm, result,
                  [&](MPI_Comm* made) { return real::Comm_create(comm, group, made); });
}
int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* result) {
  return call("MPI_Comm_create_group", [&](Emulator& e) {
    const CommunicatorPtr parent = group_communicator(comm);
    require(group != MPI_GROUP_NULL, comm, MPI_ERR_GROUP);
    const Members members = members_of_group(e, parent, group, tag);
    if (members.own == members.size()) {
      *result = MPI_COMM_NULL;
      return;
    }
    synchronise(e, members);
    require_success(
        threads::outside([&] { return real::Comm_create_group(comm, group, tag, result); }), comm);
    adopt(*result);
  });
}
int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* result) {
  return creating("MPI_Comm_split", comm, result,
                  [&](MPI_Comm* made) { return real::Comm_split(comm, color, key, made); });
}
int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* result) {
  return creating("MPI_Comm_split_type", comm, result, [&](MPI_Comm* made) {
    // Who gives MPI_UNDEFINED doesn't know what the others ask for.
    int is_shared = type == MPI_COMM_TYPE_SHARED ? 1 : 0;
    const int code = real::Allreduce(MPI_IN_PLACE, &is_shared, 1, MPI_INT, MPI_MAX, comm);
    if (code != MPI_SUCCESS) return code;
    if (is_shared != 0) {
      const int host = host_number(emulator(), emulator().rank());
      return split(comm, type == MPI_UNDEFINED ? type : host, key, info, made);
    }
#ifdef MPIX_COMM_TYPE_NEIGHBORHOOD
    if (ask_for_a_directory(comm, type, info)) return split(comm, 0, key, info, made);
#endif
    return real::Comm_split_type(comm, type, key, info, made);
  });
}
int MPI_Cart_create(MPI_Comm comm, int dimensions, const int sizes[], const int periods[],
                    int reorder, MPI_Comm* result) {
  return creating("MPI_Cart_create", comm, result, [&](MPI_Comm* made) {
    return real::Cart_create(comm, dimensions, sizes, periods, reorder, made);
  });
}
int MPI_Cart_sub(MPI_Comm comm, const int remain[], MPI_Comm* result) {
  return creating("MPI_Cart_sub", comm, result,
                  [&](MPI_Comm* made) { return real::Cart_sub(comm, remain, made); });
}
int MPI_Graph_create(MPI_Comm comm, int nodes, const int index[], const int edges[], int reorder,
                     MPI_Comm* result) {
  return creating("MPI_Graph_create", comm, result, [&](MPI_Comm* made) {
    return real::Graph_create(comm, nodes, index, edges, reorder, made);
  });
}
int MPI_Dist_graph_create(MPI_Comm comm, int n, const int sources[], const int degrees[],
                          const int destinations[], const int weights[], MPI_Info info, int reorder,
                          MPI_Comm* result) {
  return creating("MPI_Dist_graph_create", comm, result, [&](MPI_Comm* made) {
    return real::Dist_graph_create(comm, n, sources, degrees, destinations, weights, info, reorder,
                                   made);
  });
}
int MPI_Dist_graph_create_adjacent(MPI_Comm comm, int in, const int sources[],
                                   const int source_weights[], int out, const int destinations[],
                                   const int destination_weights[], MPI_Info info, int reorder,
                                   MPI_Comm* result) {
  return creating("MPI_Dist_graph_create_adjacent", comm, result, [&](MPI_Comm* made) {
    return real::Dist_graph_create_adjacent(comm, in, sources, source_weights, out, destinations,
                                            destination_weights, info, reorder, made);
  });
}

int MPI_Intercomm_create(MPI_Comm local, int leader, MPI_Comm peer, int remote_leader, int tag,
                         MPI_Comm* result) {
  return call("MPI_Intercomm_create", [&](Emulator& e) {
    const CommunicatorPtr comm = group_communicator(local);
    require(result != nullptr, local, MPI_ERR_ARG);
    require(leader >= 0 && leader < comm->size(), local, MPI_ERR_RANK);
    if (comm->rank == leader) {
      const bool is_there = remote_leader >= 0 && remote_leader < communicator(peer)->size();
      require(is_there, peer, MPI_ERR_RANK);
      require(tag >= 0, local, MPI_ERR_TAG);
    }
    const Members met = members_of(comm);
    announce(e, met);
    e.run(comm, barrier(met));
    const Members told = members_of(comm);
    // Of threads that make communicators of the same ranks at once each has a meeting of its own.
    int meeting = 0;
    // Ranks of the job; 1: on the other side.
    std::vector<char> others(static_cast<std::size_t>(e.machine().ranks));
    const Place remote{others.data(), static_cast<int>(others.size()), MPI_BYTE};
    if (comm->rank == leader) {
      const CommunicatorPtr bridge = communicator(peer);
      const int other = bridge->peers[static_cast<std::size_t>(remote_leader)];
      const int context = bridge->collective_context();
      std::vector<char> own(others.size());
      for (const int rank : comm->peers) own[static_cast<std::size_t>(rank)] = 1;
      const Place local_side{own.data(), static_cast<int>(own.size()), MPI_BYTE};
      const auto in = e.start_receive(bridge, remote, other, tags_of_collectives + tag, context);
      const auto out = e.start_send(bridge, local_side, other, tags_of_collectives + tag, context,
                                    Mode::standard);
      commgauge::simulate::Request* const both[]{in.get(), out.get()};
      e.wait_all(both);
      meeting = e.live().number_for(context, tags_of_collectives + tag, 2);
      meeting = e.live().number_for(told.context, told.tag, told.size(), meeting);
    }
    e.run(comm, broadcast(told, remote, leader));
    if (meeting == 0) meeting = e.live().number_for(told.context, told.tag, told.size());
    std::vector<int> members = comm->peers;
    for (int rank = 0; rank < e.machine().ranks; ++rank) {
      if (others[static_cast<std::size_t>(rank)] != 0) members.push_back(rank);
    }
    e.synchronise(members, meeting);
    require_success(threads::outside([&] {
                      return real::Intercomm_create(local, leader, peer, remote_leader, tag,
                                                    result);
                    }),
                    local);
    adopt(*result);
  });
}
int MPI_Intercomm_merge(MPI_Comm inter, int high, MPI_Comm* result) {
  return call("MPI_Intercomm_merge", [&](Emulator& e) {
    const CommunicatorPtr comm = communicator(inter);
    require(comm->is_inter, inter, MPI_ERR_COMM);
    synchronise(e, all_of(e, comm));
    require_success(threads::outside([&] { return real::Intercomm_merge(inter, high, result); }),
                    inter);
    adopt(*result);
  });
}

int MPI_Comm_free(MPI_Comm* comm) { return freeing("MPI_Comm_free", comm, real::Comm_free); }
int MPI_Comm_disconnect(MPI_Comm* comm) {
  return freeing("MPI_Comm_disconnect", comm, real::Comm_disconnect);
}

}  // extern "C"
