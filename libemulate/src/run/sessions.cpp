// Sessions: how a program without MPI_Init starts MPI, and makes communicators of groups. What they
// know of process sets MPI says itself.

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "collective/algorithms.hpp"
#include "collective/members.hpp"
#include "job/call.hpp"
#include "job/communicators.hpp"
#include "mpi/real_calls.hpp"
#include "mpi/world.hpp"
#include "rank/session.hpp"
#include "rank/threads.hpp"
#include "run/start_and_end.hpp"

using namespace commgauge::emulate;

namespace {

/// The same on every rank (Fowler, Noll, Vo).
int tag_of(std::string_view text) {
  std::uint32_t hash = 2166136261U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return static_cast<int>(hash % tags_of_collectives);
}

/// Members of no communicator yet.
void meet(Emulator& e, std::vector<int> ranks, const char* tag) {
  std::ranges::sort(ranks);
  const auto own = std::ranges::find(ranks, e.rank());
  if (own == ranks.end()) return;
  const CommunicatorPtr all = communicator(world());
  synchronise(e, {all, ranks, static_cast<int>(own - ranks.begin()), all->collective_context(),
                  tags_of_collectives + tag_of(tag)});
}

/// @param make  () → MPI's code, which has told the program's error handler of an error
template <class Make>
int creating(const char* name, const std::vector<MPI_Group>& groups, const char* tag,
             MPI_Comm* result, Make&& make) {
  int made = MPI_SUCCESS;
  const int code = call(name, [&](Emulator& e) {
    std::vector<int> ranks;
    for (const MPI_Group group : groups) {
      if (group == MPI_GROUP_NULL) continue;
      const std::vector<int> more = ranks_of_job(group);
      ranks.insert(ranks.end(), more.begin(), more.end());
    }
    meet(e, std::move(ranks), tag);
    made = threads::outside(make);
    if (made == MPI_SUCCESS) adopt(*result);
  });
  return code != MPI_SUCCESS ? code : made;
}

}  // namespace

extern "C" {

int MPI_Session_init(MPI_Info info, MPI_Errhandler handler, MPI_Session* session) {
  return start_mpi("MPI_Session_init", [&] {
    const int code = real::Session_init(info, handler, session);
    if (code == MPI_SUCCESS && !is_active()) commgauge::preload::make_job_communicators(*session);
    return code;
  });
}

int MPI_Session_finalize(MPI_Session* session) {
  if (*session == MPI_SESSION_NULL) return real::Session_finalize(session);
  return end_mpi("MPI_Session_finalize", [&] { return real::Session_finalize(session); });
}

int MPI_Comm_create_from_group(MPI_Group group, const char* tag, MPI_Info info,
                               MPI_Errhandler handler, MPI_Comm* result) {
  return creating("MPI_Comm_create_from_group", {group}, tag, result,
                  [&] { return real::Comm_create_from_group(group, tag, info, handler, result); });
}

int MPI_Intercomm_create_from_groups(MPI_Group local, int leader, MPI_Group remote,
                                     int remote_leader, const char* tag, MPI_Info info,
                                     MPI_Errhandler handler, MPI_Comm* result) {
  return creating("MPI_Intercomm_create_from_groups", {local, remote}, tag, result, [&] {
    return real::Intercomm_create_from_groups(local, leader, remote, remote_leader, tag, info,
                                              handler, result);
  });
}

}  // extern "C"
