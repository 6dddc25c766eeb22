// Whether a program without MPI_Init can live on sessions. Runs with and without the emulation, at
// any number of ranks; exit code 1 and a line for what is wrong.

#include <mpi.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>

namespace {

int own = 0;
int ranks = 0;
std::atomic<int> failures{0};

void check(bool holds, const char* what) {
  if (holds) return;
  ++failures;
  std::fprintf(stderr, "rank %d of %d: WRONG: %s\n", own, ranks, what);
}

MPI_Session start() {
  MPI_Session session = MPI_SESSION_NULL;
  check(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) == MPI_SUCCESS,
        "MPI_Session_init");
  return session;
}

MPI_Group group_of(MPI_Session session, const char* set) {
  MPI_Group group = MPI_GROUP_NULL;
  check(MPI_Group_from_session_pset(session, set, &group) == MPI_SUCCESS,
        "MPI_Group_from_session_pset");
  return group;
}

MPI_Comm communicator_of(MPI_Group group, const char* tag) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
  return comm;
}

void sets(MPI_Session session) {
  int count = 0;
  MPI_Session_get_num_psets(session, MPI_INFO_NULL, &count);
  bool has_world = false;
  for (int n = 0; n < count; ++n) {
    int length = 0;
    MPI_Session_get_nth_pset(session, MPI_INFO_NULL, n, &length, nullptr);
    std::string name(static_cast<std::size_t>(length), '\0');
    MPI_Session_get_nth_pset(session, MPI_INFO_NULL, n, &length, name.data());
    has_world |= std::strcmp(name.c_str(), "mpi://WORLD") == 0;
  }
  check(count >= 2 && has_world, "process sets");
  MPI_Info info = MPI_INFO_NULL;
  MPI_Session_get_pset_info(session, "mpi://WORLD", &info);
  char value[MPI_MAX_INFO_VAL + 1] = {};
  int flag = 0;
  MPI_Info_get(info, "mpi_size", MPI_MAX_INFO_VAL, value, &flag);
  check(flag != 0 && std::stoi(value) == ranks, "mpi_size of the world");
  MPI_Info_free(&info);
  MPI_Session_get_info(session, &info);
  MPI_Info_free(&info);
  MPI_Session_set_errhandler(session, MPI_ERRORS_RETURN);
  check(MPI_Session_call_errhandler(session, MPI_ERR_OTHER) == MPI_SUCCESS,
        "an error handler that returns");
}

void messages(MPI_Comm comm) {
  int sum = 0;
  MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, comm);
  check(sum == ranks * (ranks - 1) / 2, "a reduction");
  int in = -1;
  MPI_Sendrecv(&own, 1, MPI_INT, (own + 1) % ranks, 0, &in, 1, MPI_INT, (own - 1 + ranks) % ranks,
               0, comm, MPI_STATUS_IGNORE);
  check(in == (own - 1 + ranks) % ranks, "a ring");
}

/// Ranks of both parities, and the two of them together.
void parts(MPI_Group world) {
  const int range[1][3] = {{own % 2, ranks - 1, 2}};
  const int others[1][3] = {{1 - own % 2, ranks - 1, 2}};
  MPI_Group mine = MPI_GROUP_NULL;
  MPI_Group theirs = MPI_GROUP_NULL;
  MPI_Group_range_incl(world, 1, const_cast<int(*)[3]>(range), &mine);
  MPI_Comm part = communicator_of(mine, own % 2 == 0 ? "even" : "odd");
  int size = 0;
  int rank = 0;
  MPI_Comm_size(part, &size);
  MPI_Comm_rank(part, &rank);
  check(size == (ranks + 1 - own % 2) / 2 && rank == own / 2, "a part of the ranks");
  MPI_Barrier(part);
  MPI_Comm_free(&part);
  if (ranks > 1) {
    MPI_Group_range_incl(world, 1, const_cast<int(*)[3]>(others), &theirs);
    MPI_Comm inter = MPI_COMM_NULL;
    MPI_Intercomm_create_from_groups(mine, 0, theirs, 0, "both", MPI_INFO_NULL, MPI_ERRORS_RETURN,
                                     &inter);
    int remote = 0;
    MPI_Comm_remote_size(inter, &remote);
    check(remote == ranks - size, "two groups");
    if (rank == 0) {
      int in = -1;
      MPI_Sendrecv(&own, 1, MPI_INT, 0, 0, &in, 1, MPI_INT, 0, 0, inter, MPI_STATUS_IGNORE);
      check(in == 1 - own, "a message between two groups");
    }
    MPI_Comm_free(&inter);
    MPI_Group_free(&theirs);
  }
  MPI_Group_free(&mine);
}

void one_more() {
  MPI_Session session = start();
  MPI_Group world = group_of(session, "mpi://WORLD");
  MPI_Comm comm = communicator_of(world, "one more");
  messages(comm);
  MPI_Comm_free(&comm);
  MPI_Group_free(&world);
  MPI_Session_finalize(&session);
  check(session == MPI_SESSION_NULL, "a finalized session is null");
}

/// @return what all ranks found wrong
int lives() {
  MPI_Session session = start();
  MPI_Group world = group_of(session, "mpi://WORLD");
  MPI_Group_rank(world, &own);
  MPI_Group_size(world, &ranks);
  MPI_Comm comm = communicator_of(world, "org.commgauge.sessions");
  sets(session);
  const double before = MPI_Wtime();
  messages(comm);
  check(ranks == 1 || MPI_Wtime() > before, "messages take time");
  one_more();
  messages(comm);
  parts(world);
  MPI_Group alone = group_of(session, "mpi://SELF");
  MPI_Comm self = communicator_of(alone, "alone");
  int size = 0;
  MPI_Comm_size(self, &size);
  check(size == 1, "a process alone");
  MPI_Comm_free(&self);
  MPI_Group_free(&alone);
  int all = 0;
  const int own_failures = failures;
  MPI_Allreduce(&own_failures, &all, 1, MPI_INT, MPI_SUM, comm);
  MPI_Comm_free(&comm);
  MPI_Group_free(&world);
  MPI_Session_finalize(&session);
  return all;
}

/// A session that allows several threads, a communicator of all, and their end.
void live(const char* tag) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "thread_level", "MPI_THREAD_MULTIPLE");
  MPI_Session session = MPI_SESSION_NULL;
  MPI_Session_init(info, MPI_ERRORS_RETURN, &session);
  MPI_Info_free(&info);
  MPI_Group world = group_of(session, "mpi://WORLD");
  MPI_Comm comm = communicator_of(world, tag);
  int size = 0;
  int sum = 0;
  const int one = 1;
  MPI_Comm_size(comm, &size);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
  check(sum == size, "a session of a thread");
  MPI_Comm_free(&comm);
  MPI_Group_free(&world);
  MPI_Session_finalize(&session);
}

/// Whichever comes first starts MPI, whichever comes last ends it.
int threads() {
  std::thread first([] { live("first"); });
  std::thread second([] { live("second"); });
  first.join();
  second.join();
  return failures;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  if (what == "threads") return threads() == 0 ? 0 : 1;
  if (what == "world") MPI_Init(&argc, &argv);
  const int all = lives();
  if (what == "world") MPI_Finalize();
  return all == 0 ? 0 : 1;
}
