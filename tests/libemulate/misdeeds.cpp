// Programs that an emulation must refuse, tell of, or measure. `none` says when it is over.
//
//   emulated-misdeeds WHAT [BYTES]
//
// WHAT is the name of a function below. Ranks above 1 come to the end by themselves.

#include <mpi.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace {

int rank = 0;
int ranks = 0;
int bytes = 0;
constexpr MPI_Comm all = MPI_COMM_WORLD;

double cpu_time() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void receive(int from, int tag) {
  char data = 0;
  MPI_Recv(&data, 1, MPI_CHAR, from, tag, all, MPI_STATUS_IGNORE);
}

void wait(MPI_Request request) { MPI_Wait(&request, MPI_STATUS_IGNORE); }

// In a deadlock:

void deadlock() { receive((rank + 1) % ranks, 5); }

void lock() {
  char data[8] = {};
  MPI_Win window = MPI_WIN_NULL;
  MPI_Win_create(data, sizeof data, 1, MPI_INFO_NULL, all, &window);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
  receive(2, 5);
}

void named_collective() {
  int value = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  if (rank == 1) receive(0, 9);
  MPI_Ibcast(&value, 1, MPI_INT, 1, all, &request);
  wait(request);
}

/// Rank 1 waits for what never comes.
void waits_outside() {
  int ends[2] = {};
  char data = 0;
  if (rank == 1 && pipe(ends) == 0) (void)!read(ends[0], &data, 1);
  MPI_Barrier(all);
}

// Not emulated:

void services() {
  if (rank == 1) MPI_Publish_name("a service", MPI_INFO_NULL, "a port");
  MPI_Barrier(all);
}

void port() {
  for (int line = 0; line < 20000; ++line) std::printf("line %d of much output\n", line);
  std::fflush(stdout);
  char name[MPI_MAX_PORT_NAME] = {};
  MPI_Open_port(MPI_INFO_NULL, name);
}

// Ends without MPI_Finalize, of rank 1 while the others wait for it:

void ends(const std::function<void()>& end) {
  if (rank == 1) end();
  MPI_Barrier(all);
}

/// Neither an exec that fails nor what a static object does at the end is against any rule.
void execs_in_vain() { execlp("no-such-program", "no-such-program", nullptr); }

struct Finalizer {
  ~Finalizer() {
    int is_over = 0;
    MPI_Finalized(&is_over);
    if (is_over == 0) MPI_Finalize();
  }
};

void finalizes_at_exit() {
  MPI_Barrier(all);
  std::exit(0);
}

/// Whatever the types of nothing, pairs beside their parts, and complex numbers by two names.
void lawful_types() {
  double values[4] = {};
  double results[4] = {};
  MPI_Allreduce(values, results, 0, rank == 1 ? MPI_INT : MPI_DOUBLE, MPI_SUM, all);
  MPI_Bcast(values, rank == 1 ? 2 : 1, rank == 1 ? MPI_INT : MPI_2INT, 0, all);
  MPI_Allreduce(values, results, 1, rank == 1 ? MPI_C_DOUBLE_COMPLEX : MPI_COMPLEX16, MPI_SUM, all);
}

void becomes_another() {
  ends([] { execl("/bin/true", "true", nullptr); });
}

// Collective calls that don't match, rank 1's and the others':

void duplicate_alone() {
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  if (rank == 1) return;
  MPI_Comm_idup(all, &copy, &request);
  wait(request);
}

void bcast_alone() {
  int value = 0;
  if (rank == 0) MPI_Bcast(&value, 1, MPI_INT, 0, all);
}

void blocking_and_not() {
  int value = 1;
  int sum = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  if (rank == 1) {
    MPI_Iallreduce(&value, &sum, 1, MPI_INT, MPI_SUM, all, &request);
    wait(request);
  } else {
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, all);
  }
}

void two_operations() {
  int value = 1;
  std::vector<int> gathered(static_cast<std::size_t>(ranks));
  if (rank == 1) {
    MPI_Allgather(&value, 1, MPI_INT, gathered.data(), 1, MPI_INT, all);
  } else {
    MPI_Allreduce(&value, gathered.data(), 1, MPI_INT, MPI_SUM, all);
  }
}

void two_kinds_of_communicators() {
  MPI_Comm made = MPI_COMM_NULL;
  if (rank == 1) {
    MPI_Comm_split(all, 0, 0, &made);
  } else {
    MPI_Comm_dup(all, &made);
  }
}

void two_roots() {
  int value = 0;
  MPI_Bcast(&value, 1, MPI_INT, rank == 1 ? 1 : 0, all);
}

void two_operators() {
  int value = 1;
  int result = 0;
  MPI_Allreduce(&value, &result, 1, MPI_INT, rank == 1 ? MPI_MAX : MPI_SUM, all);
}

void two_sizes() {
  int values[2] = {};
  MPI_Bcast(values, rank == 1 ? 2 : 1, MPI_INT, 0, all);
}

void two_reduced_types() {
  int value = 0;
  int result = 0;
  MPI_Allreduce(&value, &result, 1, rank == 1 ? MPI_FLOAT : MPI_INT, MPI_SUM, all);
}

void two_types() {
  int value = 0;
  MPI_Bcast(&value, 1, rank == 1 ? MPI_FLOAT : MPI_INT, 0, all);
}

// Lawful, or told by an error:

void bytes_of_another_type() {
  int value = rank;
  MPI_Bcast(&value, rank == 1 ? 4 : 1, rank == 1 ? MPI_BYTE : MPI_INT, 0, all);
}

void sends_to_nobody() {
  if (rank == 1) MPI_Send(nullptr, 0, MPI_CHAR, ranks, 0, all);
  MPI_Barrier(all);
}

void fence_not_closed() {
  static int memory = 0;
  int value = 1;
  MPI_Win window = MPI_WIN_NULL;
  MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, all, &window);
  MPI_Win_fence(0, window);
  MPI_Put(&value, 1, MPI_INT, (rank + 1) % ranks, 0, 1, MPI_INT, window);
  MPI_Win_free(&window);
}

/// Of a message that doesn't fit into the buffer, one that does, and with no buffer.
void buffered() {
  const std::vector<char> message(4000);
  std::vector<char> buffer(MPI_BSEND_OVERHEAD + 4000);
  std::vector<char> got(4000);
  MPI_Comm_set_errhandler(all, MPI_ERRORS_RETURN);
  const auto send = [&](int size) {
    int error = MPI_Bsend(message.data(), size, MPI_CHAR, rank, 3, all);
    MPI_Error_class(error, &error);
    return error == MPI_ERR_BUFFER ? "no" : error == MPI_SUCCESS ? "yes" : "?";
  };
  const std::string without = send(1);
  MPI_Buffer_attach(buffer.data(), MPI_BSEND_OVERHEAD + 3999);
  const std::string too_small = send(4000);
  void* detached = nullptr;
  int size = 0;
  MPI_Buffer_detach(static_cast<void*>(&detached), &size);
  MPI_Buffer_attach(buffer.data(), MPI_BSEND_OVERHEAD + 4000);
  const std::string fits = send(4000);
  MPI_Recv(got.data(), 4000, MPI_CHAR, rank, 3, all, MPI_STATUS_IGNORE);
  MPI_Buffer_detach(static_cast<void*>(&detached), &size);
  int is_there = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, all, &is_there, MPI_STATUS_IGNORE);
  std::printf("buffered: %s %s %s, left %d\n", without.c_str(), too_small.c_str(), fits.c_str(),
              is_there);
}

void to_oneself() {
  const std::vector<char> out(static_cast<std::size_t>(bytes));
  std::vector<char> in(out.size());
  MPI_Send(out.data(), bytes, MPI_CHAR, rank, 0, all);
  MPI_Recv(in.data(), bytes, MPI_CHAR, rank, 0, all, MPI_STATUS_IGNORE);
  std::puts("came");
}

void synchronously_to_oneself() {
  char value = 7;
  MPI_Ssend(&value, 1, MPI_CHAR, rank, 0, all);
  receive(rank, 0);
}

void tests_synchronous_to_oneself() {
  char out = 7;
  char in = 0;
  int is_over = -1;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Issend(&out, 1, MPI_CHAR, rank, 0, all, &request);
  MPI_Test(&request, &is_over, MPI_STATUS_IGNORE);
  MPI_Recv(&in, 1, MPI_CHAR, rank, 0, all, MPI_STATUS_IGNORE);
  wait(request);
  std::printf("over before %d, got %d\n", is_over, in);
}

// Leaves something undone:

void never_received() {
  const int value = 0;
  if (rank == 0) MPI_Send(&value, 1, MPI_INT, 1, 7, all);
}

void never_waited_for() {
  MPI_Request request = MPI_REQUEST_NULL;
  if (rank == 1) MPI_Irecv(nullptr, 0, MPI_INT, 0, 0, all, &request);
}

void asks_for_ever() {
  if (rank != 0) return;
  int is_over = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(nullptr, 0, MPI_INT, 1, 0, all, &request);
  while (is_over == 0) MPI_Test(&request, &is_over, MPI_STATUS_IGNORE);
}

void compute() {
  const double start = cpu_time();
  while (cpu_time() - start < 0.2) continue;
  std::printf("%d %.9f\n", rank, cpu_time() - start);
  std::fflush(stdout);
}

const std::map<std::string, std::function<void()>> misdeeds{
    {"deadlock", deadlock},
    {"lock", lock},
    {"waits_outside", waits_outside},
    {"named_collective", named_collective},
    {"services", services},
    {"port", port},
    {"exits", [] { ends([] { std::exit(0); }); }},
    {"exits_with_7", [] { ends([] { std::exit(7); }); }},
    {"exits_at_once", [] { ends([] { _exit(0); }); }},
    {"exits_quickly", [] { ends([] { std::quick_exit(0); }); }},
    {"all_exit", [] { std::exit(0); }},
    {"becomes_another", becomes_another},
    {"aborts", [] { ends([] { MPI_Abort(all, 0); }); }},
    {"execs_in_vain", execs_in_vain},
    {"finalizes_at_exit", finalizes_at_exit},
    {"lawful_types", lawful_types},
    {"duplicate_alone", duplicate_alone},
    {"bcast_alone", bcast_alone},
    {"blocking_and_not", blocking_and_not},
    {"two_operations", two_operations},
    {"two_kinds_of_communicators", two_kinds_of_communicators},
    {"two_roots", two_roots},
    {"two_operators", two_operators},
    {"two_sizes", two_sizes},
    {"two_reduced_types", two_reduced_types},
    {"two_types", two_types},
    {"bytes_of_another_type", bytes_of_another_type},
    {"sends_to_nobody", sends_to_nobody},
    {"fence_not_closed", fence_not_closed},
    {"buffered", buffered},
    {"to_oneself", to_oneself},
    {"synchronously_to_oneself", synchronously_to_oneself},
    {"tests_synchronous_to_oneself", tests_synchronous_to_oneself},
    {"never_received", never_received},
    {"never_waited_for", never_waited_for},
    {"asks_for_ever", asks_for_ever},
    {"compute", compute},
    {"none", [] {}},
};

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "none";
  bytes = argc > 2 ? std::atoi(argv[2]) : 0;
  if (what == "exits_before") return 0;
  if (what == "finalizes_at_exit") static const Finalizer at_exit;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(all, &rank);
  MPI_Comm_size(all, &ranks);
  misdeeds.at(what)();
  MPI_Finalize();
  if (what == "none") std::puts("over");
}
