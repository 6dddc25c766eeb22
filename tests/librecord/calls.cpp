// Calls of every kind, in an order that a test knows. Two ranks or more; the first two do most.
//
//   recorded-calls
//   messages|persistent|polling|probes|communicators|regions|window|cancel|threads|abort|
//                  kill|leave|fail|many [NUMBER]

#include <mpi.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string_view>
#include <thread>
#include <vector>

namespace {

const MPI_Comm world = MPI_COMM_WORLD;
int own = 0;
int ranks = 0;
std::array<char, 64> out{};
std::array<char, 64> in{};

void messages() {
  if (own == 1) {
    MPI_Send(out.data(), 10, MPI_CHAR, 0, 3, world);
    MPI_Ssend(out.data(), 11, MPI_CHAR, 0, 4, world);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(out.data(), 12, MPI_CHAR, 0, 5, world, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else if (own == 0) {
    MPI_Recv(in.data(), 64, MPI_CHAR, 1, 3, world, MPI_STATUS_IGNORE);
    MPI_Recv(in.data(), 64, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, world, MPI_STATUS_IGNORE);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(in.data(), 64, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, world, &request);
    MPI_Status status;
    MPI_Wait(&request, &status);
    if (request != MPI_REQUEST_NULL || status.MPI_SOURCE != 1 || status.MPI_TAG != 5)
      MPI_Abort(world, 1);
  }
  MPI_Barrier(world);
  MPI_Sendrecv(out.data(), 7, MPI_CHAR, (own + 1) % ranks, 6, in.data(), 64, MPI_CHAR,
               (own + ranks - 1) % ranks, 6, world, MPI_STATUS_IGNORE);
  MPI_Send(out.data(), 1, MPI_CHAR, MPI_PROC_NULL, 0, world);
}

void persistent() {
  MPI_Request request = MPI_REQUEST_NULL;
  if (own == 0) MPI_Send_init(out.data(), 5, MPI_CHAR, 1, 0, world, &request);
  if (own == 1) MPI_Recv_init(in.data(), 64, MPI_CHAR, 0, 0, world, &request);
  for (int i = 0; i < 3 && own < 2; ++i) {
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (request == MPI_REQUEST_NULL) MPI_Abort(world, 1);
  }
  if (own < 2) MPI_Request_free(&request);
}

void polling() {
  if (own == 1) {
    usleep(20000);
    MPI_Send(out.data(), 1, MPI_CHAR, 0, 0, world);
  } else if (own == 0) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(in.data(), 1, MPI_CHAR, 1, 0, world, &request);
    for (int over = 0; over == 0;) MPI_Test(&request, &over, MPI_STATUS_IGNORE);
    int found = 0;
    MPI_Iprobe(1, 9, world, &found, MPI_STATUS_IGNORE);
  }
}

void probes() {
  if (own == 1) {
    for (int i = 0; i < 3; ++i) MPI_Send(out.data(), 10 + i, MPI_CHAR, 0, i, world);
  } else if (own == 0) {
    MPI_Status status;
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, world, &status);
    MPI_Recv(in.data(), 64, MPI_CHAR, status.MPI_SOURCE, status.MPI_TAG, world, &status);
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Mprobe(MPI_ANY_SOURCE, 2, world, &message, &status);
    MPI_Mrecv(in.data(), 64, MPI_CHAR, &message, &status);
    MPI_Mprobe(1, 1, world, &message, &status);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Imrecv(in.data(), 64, MPI_CHAR, &message, &request);
    MPI_Wait(&request, &status);
  }
}

void communicators() {
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(world, &copy);
  MPI_Comm_set_name(copy, "copy");
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(copy, own % 2, 0, &half);
  int sum = 0;
  MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, half);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(copy, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  const int sizes[1] = {ranks};
  const int periods[1] = {1};
  MPI_Comm ring = MPI_COMM_NULL;
  MPI_Cart_create(world, 1, sizes, periods, 0, &ring);
  std::array<int, 2> both{};
  MPI_Neighbor_allgather(&own, 1, MPI_INT, both.data(), 1, MPI_INT, ring);
  for (MPI_Comm* const comm : {&ring, &half, &copy}) MPI_Comm_free(comm);
}

/// Between even and odd ranks.
void between_groups() {
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(world, own % 2, 0, &half);
  MPI_Comm between = MPI_COMM_NULL;
  MPI_Intercomm_create(half, 0, world, 1 - own % 2, 8, &between);
  MPI_Comm together = MPI_COMM_NULL;
  MPI_Intercomm_merge(between, own % 2, &together);
  int sum = 0;
  MPI_Bcast(&sum, 1, MPI_INT, 0, together);
  for (MPI_Comm* const comm : {&together, &between, &half}) MPI_Comm_free(comm);
}

void regions() {
  MPI_Pcontrol(1, "solve");
  MPI_Barrier(world);
  MPI_Pcontrol(-1, "solve");
  MPI_Pcontrol(0);
  (void)MPI_Wtime();
  (void)MPI_Wtime();
  usleep(3000);
}

void sleeps() { usleep(200000); }

/// Two groups of one rank: the next one, and the one before.
struct Neighbours {
  MPI_Group next = MPI_GROUP_NULL;
  MPI_Group previous = MPI_GROUP_NULL;
  Neighbours() {
    MPI_Group all = MPI_GROUP_NULL;
    MPI_Comm_group(world, &all);
    const int after = (own + 1) % ranks;
    const int before = (own + ranks - 1) % ranks;
    MPI_Group_incl(all, 1, &after, &next);
    MPI_Group_incl(all, 1, &before, &previous);
    MPI_Group_free(&all);
  }
  ~Neighbours() {
    MPI_Group_free(&next);
    MPI_Group_free(&previous);
  }
};

/// Epochs of all kinds. Each rank accesses the next one's memory.
void windows() {
  MPI_Win win = MPI_WIN_NULL;
  std::vector<int> memory(64);
  const auto bytes = static_cast<MPI_Aint>(memory.size() * sizeof(int));
  MPI_Win_create(memory.data(), bytes, sizeof(int), MPI_INFO_NULL, world, &win);
  const int next = (own + 1) % ranks;
  int given[4]{own, 1, 2, 3};
  int got[4]{};
  MPI_Win_fence(0, win);
  MPI_Put(given, 4, MPI_INT, next, 0, 4, MPI_INT, win);
  MPI_Accumulate(given, 1, MPI_INT, next, 8, 1, MPI_INT, MPI_SUM, win);
  MPI_Put(given, 4, MPI_INT, MPI_PROC_NULL, 0, 4, MPI_INT, win);
  MPI_Win_fence(0, win);

  const Neighbours neighbours;
  MPI_Win_post(neighbours.previous, 0, win);
  MPI_Win_start(neighbours.next, 0, win);
  MPI_Get(got, 4, MPI_INT, next, 0, 4, MPI_INT, win);
  MPI_Win_complete(win);
  MPI_Win_wait(win);

  MPI_Request requests[2];
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, win);
  MPI_Rput(given, 2, MPI_INT, next, 16, 2, MPI_INT, win, &requests[0]);
  MPI_Rget(got, 4, MPI_INT, next, 0, 4, MPI_INT, win, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Win_flush(next, win);
  MPI_Rget(got, 4, MPI_INT, next, 0, 4, MPI_INT, win, &requests[0]);
  MPI_Win_unlock(next, win);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);

  MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
  MPI_Fetch_and_op(given, got, MPI_INT, next, 32, MPI_SUM, win);
  MPI_Compare_and_swap(given, given + 1, got + 1, MPI_INT, next, 33, win);
  MPI_Get_accumulate(given, 1, MPI_INT, got + 2, 1, MPI_INT, next, 34, 1, MPI_INT, MPI_MAX, win);
  MPI_Win_flush_local_all(win);
  MPI_Win_sync(win);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
}

/// A collective operation goes on at looks, at whatever they are.
void looks() {
  MPI_Win win = MPI_WIN_NULL;
  int memory = 0;
  MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, world, &win);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
  const int next = (own + 1) % ranks;
  MPI_Request one = MPI_REQUEST_NULL;
  int index = 0;
  int flag = 0;
  const std::function<void()> ways[] = {
      [&] {
        MPI_Rput(&own, 1, MPI_INT, next, 0, 1, MPI_INT, win, &one);
        MPI_Test(&one, &flag, MPI_STATUS_IGNORE);
      },
      [&] {
        MPI_Irecv(&memory, 1, MPI_INT, MPI_PROC_NULL, 0, world, &one);
        MPI_Testany(1, &one, &index, &flag, MPI_STATUS_IGNORE);
      },
      [&] { MPI_Win_sync(win); },
      [&] { MPI_Win_flush(own, win); },
      [&] { MPI_Iprobe(MPI_ANY_SOURCE, 99, world, &flag, MPI_STATUS_IGNORE); },
      [&] { MPI_Iprobe(MPI_PROC_NULL, 99, world, &flag, MPI_STATUS_IGNORE); },
  };
  for (const auto& look : ways) {
    MPI_Request all = MPI_REQUEST_NULL;
    MPI_Iallreduce(out.data(), in.data(), 1000, MPI_CHAR, MPI_MAX, world, &all);
    for (int turn = 0; turn < 20; ++turn) {
      usleep(static_cast<unsigned>(20 + own));
      look();
    }
    MPI_Wait(&all, MPI_STATUS_IGNORE);
  }
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
}

void generalised() {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Grequest_start([](void*, MPI_Status*) { return MPI_SUCCESS; },
                     [](void*) { return MPI_SUCCESS; }, [](void*, int) { return MPI_SUCCESS; },
                     nullptr, &request);
  MPI_Grequest_complete(request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/// That nobody has published.
void names() {
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  char port[MPI_MAX_PORT_NAME] = "";
  if (MPI_Lookup_name("nobody", MPI_INFO_NULL, port) == MPI_SUCCESS) MPI_Abort(world, 1);
  MPI_Comm_set_errhandler(world, MPI_ERRORS_ARE_FATAL);
}

void cancel() {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(in.data(), 1, MPI_CHAR, MPI_ANY_SOURCE, 99, world, &request);
  MPI_Cancel(&request);
  MPI_Status status;
  MPI_Wait(&request, &status);
  int is_cancelled = 0;
  MPI_Test_cancelled(&status, &is_cancelled);
  if (is_cancelled == 0) MPI_Abort(world, 1);
  MPI_Barrier(world);
  // Whoever took this for the receive that was cancelled would be in a deadlock.
  if (own == 0) MPI_Send(out.data(), 1, MPI_CHAR, 1, 99, world);
  if (own == 1) MPI_Recv(in.data(), 1, MPI_CHAR, MPI_ANY_SOURCE, 99, world, &status);
}

void threads() {
  std::vector<std::thread> all;
  for (int i = 0; i < 3; ++i) all.emplace_back([] { usleep(20000); });
  for (std::thread& one : all) one.join();
}

/// Of which one with the least cost: two events in each.
void many(int count) {
  for (int i = 0; i < count; ++i) MPI_Send(out.data(), 1, MPI_CHAR, MPI_PROC_NULL, 0, world);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(world, &own);
  MPI_Comm_size(world, &ranks);
  const std::string_view what = argc > 1 ? argv[1] : "";
  const int number = argc > 2 ? std::atoi(argv[2]) : 0;
  if (what == "messages") messages();
  if (what == "persistent") persistent();
  if (what == "polling") polling();
  if (what == "probes") probes();
  if (what == "communicators") communicators();
  if (what == "between-groups") between_groups();
  if (what == "regions") regions();
  if (what == "sleeps") sleeps();
  if (what == "windows") windows();
  if (what == "looks") looks();
  if (what == "generalised") generalised();
  if (what == "names") names();
  if (what == "cancel") cancel();
  if (what == "threads") threads();
  if (what == "many") many(number);
  if (what == "abort" && own == 1) MPI_Abort(world, 7);
  if (what == "kill" && own == 1) kill(getpid(), SIGKILL);
  if (what == "leave") return 0;
  MPI_Barrier(world);
  MPI_Finalize();
  if (own == 0) std::puts("over");
  return what == "fail" ? 9 : 0;
}
