// Calls of MPI, subject by subject, in an order that a test knows. For two ranks.
//
//   recorded-subjects
//   sends|prepared|waits|tests|collectives|neighbours|made|epochs|accesses|windows|
//                     partitions|generalised|sessions|others|sleeps

#include <mpi.h>
#include <stdio.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <string_view>
#include <thread>
#include <vector>

namespace {

const MPI_Comm world = MPI_COMM_WORLD;
int own = 0;
int other = 0;
std::array<char, 64> out{};
std::array<char, 64> in{};

void receive(int tag) { MPI_Recv(in.data(), 64, MPI_CHAR, other, tag, world, MPI_STATUS_IGNORE); }
void wait(MPI_Request& request) { MPI_Wait(&request, MPI_STATUS_IGNORE); }

/// Each mode, and calls that send and receive.
void sends() {
  std::array<char, 1000> room{};
  MPI_Buffer_attach(room.data(), 1000);
  if (own == 0) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Bsend(out.data(), 1, MPI_INT, 1, 1, world);
    MPI_Issend(out.data(), 2, MPI_INT, 1, 2, world, &request);
    wait(request);
    MPI_Ibsend(out.data(), 3, MPI_INT, 1, 3, world, &request);
    wait(request);
    MPI_Isend(out.data(), 4, MPI_INT, MPI_PROC_NULL, 4, world, &request);
    wait(request);
    MPI_Recv(in.data(), 4, MPI_INT, MPI_PROC_NULL, 4, world, MPI_STATUS_IGNORE);
  } else {
    for (int tag = 1; tag <= 3; ++tag) receive(tag);
  }
  void* base = nullptr;
  int size = 0;
  MPI_Buffer_detach(&base, &size);
  MPI_Sendrecv(out.data(), 5 + own, MPI_CHAR, other, own, in.data(), 64, MPI_CHAR, other,
               MPI_ANY_TAG, world, MPI_STATUS_IGNORE);
  MPI_Sendrecv_replace(out.data(), 7, MPI_CHAR, other, 7, MPI_PROC_NULL, 7, world,
                       MPI_STATUS_IGNORE);
  receive(7);
  MPI_Request both = MPI_REQUEST_NULL;
  MPI_Isendrecv(out.data(), 8, MPI_CHAR, other, 8, in.data(), 64, MPI_CHAR, other, 8, world, &both);
  wait(both);
  MPI_Isendrecv_replace(out.data(), 9, MPI_CHAR, other, 9, other, 9, world, &both);
  wait(both);
  MPI_Isendrecv(out.data(), 10 + own, MPI_CHAR, other, 10 + own, in.data(), 64, MPI_CHAR,
                MPI_ANY_SOURCE, MPI_ANY_TAG, world, &both);
  wait(both);
  MPI_Isendrecv(out.data(), 1, MPI_CHAR, other, 11, in.data(), 64, MPI_CHAR, MPI_PROC_NULL, 11,
                world, &both);
  wait(both);
  receive(11);
}

void prepared() {
  std::array<MPI_Request, 3> all{};
  MPI_Ssend_init(out.data(), 1, MPI_INT, other, 1, world, all.data());
  MPI_Recv_init(in.data(), 64, MPI_CHAR, other, MPI_ANY_TAG, world, &all[1]);
  MPI_Send_init(out.data(), 1, MPI_INT, MPI_PROC_NULL, 1, world, &all[2]);
  MPI_Startall(3, all.data());
  MPI_Waitall(3, all.data(), MPI_STATUSES_IGNORE);
  MPI_Start(&all[1]);
  MPI_Start(all.data());
  MPI_Wait(all.data(), MPI_STATUS_IGNORE);
  MPI_Wait(&all[1], MPI_STATUS_IGNORE);
  for (MPI_Request& one : all) MPI_Request_free(&one);
}

/// Receives of which the other rank sends one after the other.
std::array<MPI_Request, 3> three_receives() {
  std::array<MPI_Request, 3> all{};
  for (int i = 0; i < 3; ++i) {
    MPI_Irecv(in.data() + i, 1, MPI_CHAR, other, i, world, &all[static_cast<std::size_t>(i)]);
  }
  return all;
}
void send_one(int tag) {
  char nothing = 0;
  MPI_Recv(&nothing, 0, MPI_CHAR, other, 99, world, MPI_STATUS_IGNORE);
  MPI_Send(out.data(), 1, MPI_CHAR, other, tag, world);
}
void ask_for_one() { MPI_Send(out.data(), 0, MPI_CHAR, other, 99, world); }

void waits() {
  if (own == 1) {
    for (const int tag : {1, 2, 0}) send_one(tag);
    MPI_Request given_up = MPI_REQUEST_NULL;
    MPI_Isend(out.data(), 1, MPI_CHAR, other, 5, world, &given_up);
    MPI_Request_free(&given_up);
    return;
  }
  auto all = three_receives();
  int index = 0;
  int found = 0;
  std::array<int, 3> indices{};
  std::array<MPI_Status, 3> statuses{};
  ask_for_one();
  MPI_Waitany(3, all.data(), &index, MPI_STATUS_IGNORE);
  ask_for_one();
  MPI_Waitsome(3, all.data(), &found, indices.data(), statuses.data());
  ask_for_one();
  MPI_Waitall(3, all.data(), MPI_STATUSES_IGNORE);
  MPI_Waitall(3, all.data(), MPI_STATUSES_IGNORE);  // nothing is left
  receive(5);
}

void tests() {
  if (own == 1) {
    for (const int tag : {1, 2, 0}) send_one(tag);
    send_one(7);
    receive(8);
    return;
  }
  auto all = three_receives();
  int flag = 0;
  int index = 0;
  int found = 0;
  std::array<int, 3> indices{};
  ask_for_one();
  while (flag == 0) MPI_Testany(3, all.data(), &index, &flag, MPI_STATUS_IGNORE);
  ask_for_one();
  while (found == 0) {
    MPI_Testsome(3, all.data(), &found, indices.data(), MPI_STATUSES_IGNORE);
  }
  ask_for_one();
  for (flag = 0; flag == 0;) MPI_Testall(3, all.data(), &flag, MPI_STATUSES_IGNORE);
  MPI_Request one = MPI_REQUEST_NULL;
  MPI_Irecv(in.data(), 9, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, world, &one);
  MPI_Test(&one, &flag, MPI_STATUS_IGNORE);  // in vain: it hasn't been asked for
  ask_for_one();
  for (flag = 0; flag == 0;) MPI_Request_get_status(one, &flag, MPI_STATUS_IGNORE);
  MPI_Request next = MPI_REQUEST_NULL;
  MPI_Isend(out.data(), 1, MPI_CHAR, other, 8, world, &next);
  wait(one);
  wait(next);
}

void collectives() {
  std::array<int, 8> give{};
  std::array<int, 8> get{};
  const std::array<int, 2> counts{1, 3};
  const std::array<int, 2> places{0, 1};
  MPI_Bcast(give.data(), 3, MPI_INT, 1, world);
  MPI_Allreduce(MPI_IN_PLACE, give.data(), 2, MPI_INT, MPI_SUM, world);
  MPI_Alltoall(give.data(), 2, MPI_INT, get.data(), 2, MPI_INT, world);
  MPI_Gatherv(give.data(), counts[static_cast<std::size_t>(own)], MPI_INT, get.data(),
              counts.data(), places.data(), MPI_INT, 0, world);
  MPI_Reduce_scatter(give.data(), get.data(), counts.data(), MPI_INT, MPI_SUM, world);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallgather(give.data(), 1, MPI_INT, get.data(), 1, MPI_INT, world, &request);
  wait(request);
  MPI_Scan_init(give.data(), get.data(), 1, MPI_INT, MPI_SUM, world, MPI_INFO_NULL, &request);
  for (int turn = 0; turn < 2; ++turn) {
    MPI_Start(&request);
    wait(request);
  }
  MPI_Request_free(&request);
  MPI_Reduce_c(give.data(), get.data(), 2, MPI_INT, MPI_MAX, 0, world);
}

void neighbours() {
  const std::array<int, 2> sizes{2, 1};
  const std::array<int, 2> periods{0, 0};
  MPI_Comm line = MPI_COMM_NULL;
  MPI_Cart_create(world, 2, sizes.data(), periods.data(), 0, &line);
  std::array<int, 4> got{};
  MPI_Neighbor_allgather(&own, 1, MPI_INT, got.data(), 1, MPI_INT, line);
  MPI_Comm_free(&line);
  // Each gives the other two elements, and itself one.
  const std::array<int, 2> both{0, 1};
  std::array<int, 2> counts{own == 0 ? 1 : 2, own == 0 ? 2 : 1};
  const std::array<int, 2> places{0, 2};
  MPI_Comm graph = MPI_COMM_NULL;
  MPI_Dist_graph_create_adjacent(world, 2, both.data(), MPI_UNWEIGHTED, 2, both.data(),
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
  MPI_Neighbor_alltoallv(got.data(), counts.data(), places.data(), MPI_INT, in.data(),
                         counts.data(), places.data(), MPI_INT, graph);
  MPI_Comm_free(&graph);
}

void made() {
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Comm_idup(world, &copy, &request);
  wait(request);
  MPI_Comm_set_name(copy, "copy");
  MPI_Barrier(copy);
  MPI_Comm alone = MPI_COMM_NULL;
  MPI_Comm_split(copy, own == 1 ? 0 : MPI_UNDEFINED, 0, &alone);
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Comm_group(world, &group);
  const std::array<int, 2> turned{1, 0};
  MPI_Group backwards = MPI_GROUP_NULL;
  MPI_Group_incl(group, 2, turned.data(), &backwards);
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_create_group(world, backwards, 3, &made);
  if (own == 0) MPI_Send(out.data(), 4, MPI_CHAR, 0, 6, made);
  if (own == 1) MPI_Recv(in.data(), 4, MPI_CHAR, MPI_ANY_SOURCE, 6, made, MPI_STATUS_IGNORE);
  MPI_Group_free(&group);
  MPI_Group_free(&backwards);
  if (alone != MPI_COMM_NULL) {
    MPI_Barrier(alone);
    MPI_Comm_free(&alone);
  }
  MPI_Barrier(MPI_COMM_SELF);
  MPI_Comm_disconnect(&made);
  MPI_Comm_free(&copy);
}

/// Of which one side accesses the other's memory.
void epochs() {
  MPI_Win win = MPI_WIN_NULL;
  std::array<int, 8> memory{};
  MPI_Win_create(memory.data(), sizeof memory, sizeof(int), MPI_INFO_NULL, world, &win);
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Group one = MPI_GROUP_NULL;
  MPI_Comm_group(world, &all);
  MPI_Group_incl(all, 1, &other, &one);
  MPI_Group_free(&all);
  const int value = 1;
  int got = 0;
  const auto get = [&] { MPI_Get(&got, 1, MPI_INT, other, 0, 1, MPI_INT, win); };
  if (own == 0) {
    MPI_Win_start(one, 0, win);
    MPI_Put(&value, 1, MPI_INT, other, 0, 1, MPI_INT, win);
    MPI_Win_complete(win);
    MPI_Barrier(world);
    MPI_Win_start(one, MPI_MODE_NOCHECK, win);
    MPI_Win_complete(win);
  } else {
    MPI_Win_post(one, 0, win);
    MPI_Win_wait(win);
    MPI_Win_post(one, MPI_MODE_NOCHECK, win);
    MPI_Barrier(world);
    for (int flag = 0; flag == 0;) MPI_Win_test(win, &flag);
  }
  MPI_Group_free(&one);
  MPI_Barrier(world);
  if (own == 0) {
    MPI_Win_lock(MPI_LOCK_SHARED, other, 0, win);
    MPI_Put(&value, 1, MPI_INT, other, 0, 1, MPI_INT, win);
    get();
    MPI_Win_flush_local(other, win);  // what comes back only
    MPI_Win_flush(other, win);
    MPI_Win_flush(other, win);  // nothing is left
    MPI_Win_unlock(other, win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, other, MPI_MODE_NOCHECK, win);
    MPI_Win_unlock(other, win);
    MPI_Win_lock_all(0, win);
    get();
    MPI_Win_flush_all(win);
    MPI_Win_sync(win);
    MPI_Win_unlock_all(win);
  }
  MPI_Win_free(&win);
}

void accesses() {
  MPI_Win win = MPI_WIN_NULL;
  std::array<int, 8> memory{};
  MPI_Win_create(memory.data(), sizeof memory, sizeof(int), MPI_INFO_NULL, world, &win);
  std::array<int, 2> give{1, 2};
  std::array<int, 2> get{};
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Win_fence(0, win);
  if (own == 0) MPI_Put(give.data(), 1, MPI_INT, other, 0, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
  if (own == 0) {
    MPI_Put(give.data(), 2, MPI_INT, other, 0, 2, MPI_INT, win);
    MPI_Accumulate(give.data(), 1, MPI_INT, other, 0, 1, MPI_INT, MPI_SUM, win);
    MPI_Get_accumulate(give.data(), 2, MPI_INT, get.data(), 2, MPI_INT, other, 0, 2, MPI_INT,
                       MPI_SUM, win);
    MPI_Get_accumulate(nullptr, 0, MPI_INT, get.data(), 2, MPI_INT, other, 0, 2, MPI_INT, MPI_NO_OP,
                       win);
    MPI_Fetch_and_op(give.data(), get.data(), MPI_INT, other, 0, MPI_SUM, win);
    MPI_Compare_and_swap(give.data(), get.data(), get.data() + 1, MPI_INT, other, 0, win);
    MPI_Put(give.data(), 2, MPI_INT, MPI_PROC_NULL, 0, 2, MPI_INT, win);
    MPI_Rput(give.data(), 1, MPI_INT, other, 0, 1, MPI_INT, win, &request);
    wait(request);
    MPI_Rget(get.data(), 1, MPI_INT, other, 0, 1, MPI_INT, win, &request);
    wait(request);
  }
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
}

void windows() {
  void* base = nullptr;
  MPI_Win win = MPI_WIN_NULL;
  MPI_Win_allocate(8, 1, MPI_INFO_NULL, world, static_cast<void*>(&base), &win);
  MPI_Win_free(&win);
  MPI_Win_allocate_shared(8, 1, MPI_INFO_NULL, world, static_cast<void*>(&base), &win);
  MPI_Win_free(&win);
  MPI_Win_create_dynamic(MPI_INFO_NULL, world, &win);
  MPI_Win_free(&win);
  MPI_Win_create(&own, sizeof own, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win);
  MPI_Win_free(&win);
}

void partitions() {
  MPI_Request request = MPI_REQUEST_NULL;
  int flag = 0;
  if (own == 0) {
    MPI_Psend_init(out.data(), 6, 2, MPI_INT, other, 4, world, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Pready(5, request);
    MPI_Pready_range(0, 1, request);
    std::array<int, 3> rest{3, 4, 2};
    MPI_Pready_list(3, rest.data(), request);
  } else {
    MPI_Precv_init(in.data(), 2, 6, MPI_INT, other, 4, world, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    while (flag == 0) MPI_Parrived(request, 1, &flag);
  }
  wait(request);
  MPI_Request_free(&request);
}

void generalised() {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Grequest_start([](void*, MPI_Status*) { return MPI_SUCCESS; },
                     [](void*) { return MPI_SUCCESS; }, [](void*, int) { return MPI_SUCCESS; },
                     nullptr, &request);
  int flag = 0;
  MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  std::thread([&] { MPI_Grequest_complete(request); }).join();
  wait(request);
}

void others() {
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  std::array<char, MPI_MAX_PORT_NAME> port{};
  MPI_Lookup_name("nobody", MPI_INFO_NULL, port.data());
  MPI_Send(out.data(), 1, MPI_CHAR, 2, 0, world);  // there is no such rank
  MPI_File file = MPI_FILE_NULL;
  MPI_File_open(world, "/dev/null", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
  MPI_File_close(&file);
  if (own == 0) MPI_Send_c(out.data(), 3, MPI_CHAR, 1, 2, world);
  if (own == 1) receive(2);
}

void sleeps() {
  constexpr timespec short_while{0, 2'000'000};
  nanosleep(&short_while, nullptr);
  usleep(3000);
  thrd_sleep(&short_while, nullptr);
  sleep(0);
  timespec end{};
  clock_gettime(CLOCK_MONOTONIC, &end);
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, nullptr);  // it is over already
  clock_nanosleep(CLOCK_MONOTONIC, 0, &short_while, nullptr);
}

/// MPI lives from the first of two sessions to the end of the last.
int sessions() {
  MPI_Session first = MPI_SESSION_NULL;
  MPI_Session second = MPI_SESSION_NULL;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &first);
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &second);
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Group_from_session_pset(first, "mpi://WORLD", &group);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_create_from_group(group, "all", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  MPI_Group_free(&group);
  MPI_Bcast(out.data(), 5, MPI_CHAR, 0, comm);
  MPI_Comm_free(&comm);
  MPI_Session_finalize(&first);
  MPI_Session_finalize(&second);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  if (what == "sessions") return sessions();
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(world, &own);
  other = 1 - own;
  if (what == "sends") sends();
  if (what == "prepared") prepared();
  if (what == "waits") waits();
  if (what == "tests") tests();
  if (what == "collectives") collectives();
  if (what == "neighbours") neighbours();
  if (what == "made") made();
  if (what == "epochs") epochs();
  if (what == "accesses") accesses();
  if (what == "windows") windows();
  if (what == "partitions") partitions();
  if (what == "generalised") generalised();
  if (what == "others") others();
  if (what == "sleeps") sleeps();
  MPI_Finalize();
  return 0;
}
