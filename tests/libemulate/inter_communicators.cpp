// Whether MPI still does what the standard says: operations between two groups, communicators that
// are made meanwhile, requests of the program's own, what is cancelled or left alone. Runs with and
// without the emulation, at any number of ranks; exit code 1 and a line for what is wrong.

#include <mpi.h>

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace {

int own = 0;
int ranks = 0;
int failures = 0;
bool is_native = false;  ///< MPICH 4.0.2 itself does some things wrong, which aren't asked then
const char* way = "";    ///< in which an operation is called

void check(bool holds, const std::string& what) {
  if (holds) return;
  ++failures;
  std::fprintf(stderr, "rank %d of %d: WRONG: %s%s\n", own, ranks, way, what.c_str());
}

using Ints = std::vector<int>;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

Ints row(int count, int start, int step = 1) {
  Ints values(at(count));
  for (int i = 0; i < count; ++i) values[at(i)] = start + i * step;
  return values;
}

void finish(MPI_Request* request) { MPI_Wait(request, MPI_STATUS_IGNORE); }

/// Blocking, nonblocking, and persistent twice. @param after  checks what has come
void in_all_ways(const std::function<void()>& blocking,
                 const std::function<void(MPI_Request*)>& starting,
                 const std::function<void(MPI_Request*)>& preparing,
                 const std::function<void()>& after) {
  way = "blocking ";
  blocking();
  after();
  way = "";
  if (is_native) return;  // MPI_Ibcast from other roots than 0 is wrong, and MPI_Scatter_init twice
  way = "nonblocking ";
  MPI_Request request = MPI_REQUEST_NULL;
  starting(&request);
  finish(&request);
  after();
  way = "persistent ";
  preparing(&request);
  for (int turn = 0; turn < 2; ++turn) {
    MPI_Start(&request);
    finish(&request);
    after();
  }
  MPI_Request_free(&request);
  way = "";
}

/// Two groups, as one of their ranks sees them. Values are told by ranks of the job.
struct Groups {
  MPI_Comm comm{MPI_COMM_NULL};
  int rank{};
  Ints mine;    ///< ranks of the job
  Ints theirs;  ///< ranks of the job

  [[nodiscard]] int size() const { return static_cast<int>(mine.size()); }
  [[nodiscard]] int remote() const { return static_cast<int>(theirs.size()); }
  /// As root, of a rank of the job.
  [[nodiscard]] int root(int of_job) const {
    if (of_job == own) return MPI_ROOT;
    for (int i = 0; i < remote(); ++i) {
      if (theirs[at(i)] == of_job) return i;
    }
    return MPI_PROC_NULL;
  }
  [[nodiscard]] bool gets_from(int of_job) const { return root(of_job) >= 0; }
};

int sum(const Ints& values) {
  int result = 0;
  for (const int value : values) result += value;
  return result;
}

#define IN_ALL_WAYS(NAME, INAME, AFTER, ...)                                                     \
  in_all_ways([&] { MPI_##NAME(__VA_ARGS__, g.comm); },                                          \
              [&](MPI_Request* r) { MPI_##INAME(__VA_ARGS__, g.comm, r); },                      \
              [&](MPI_Request* r) { MPI_##NAME##_init(__VA_ARGS__, g.comm, MPI_INFO_NULL, r); }, \
              AFTER)

void rooted(const Groups& g, int from, int count) {
  const int root = g.root(from);
  Ints data(at(count), root == MPI_ROOT ? 100 + from : -1);
  IN_ALL_WAYS(
      Bcast, Ibcast,
      [&] {
        const int expected = g.gets_from(from) || from == own ? 100 + from : -1;
        check(data == Ints(at(count), expected), "Bcast");
        if (from != own) data.assign(at(count), -1);
      },
      data.data(), count, MPI_INT, root);

  const Ints vector = row(count, own);
  Ints result(at(count), -1);
  IN_ALL_WAYS(
      Reduce, Ireduce,
      [&] {
        check(result == (from == own ? row(count, sum(g.theirs), g.remote()) : Ints(at(count), -1)),
              "Reduce");
        result.assign(at(count), -1);
      },
      vector.data(), result.data(), count, MPI_INT, MPI_SUM, root);

  Ints expected;
  for (const int rank : g.theirs) {
    for (int i = 0; i < count; ++i) expected.push_back(1000 * rank + i);
  }
  const Ints mine = row(count, 1000 * own);
  Ints all(expected.size(), -1);
  const Ints none(expected.size(), -1);
  IN_ALL_WAYS(
      Gather, Igather,
      [&] {
        check(all == (from == own ? expected : none), "Gather");
        all = none;
      },
      mine.data(), count, MPI_INT, all.data(), count, MPI_INT, root);
  const Ints counts(at(g.remote()), count);
  const Ints places = row(g.remote(), 0, count);
  IN_ALL_WAYS(
      Gatherv, Igatherv,
      [&] {
        check(all == (from == own ? expected : none), "Gatherv");
        all = none;
      },
      mine.data(), count, MPI_INT, all.data(), counts.data(), places.data(), MPI_INT, root);

  const Ints out = row(g.remote() * count, 10000 * own);
  Ints part(at(count), -1);
  const Ints theirs_part = row(count, 10000 * from + g.rank * count);
  const auto scattered = [&](const char* name) {
    check(part == (g.gets_from(from) ? theirs_part : Ints(at(count), -1)), name);
    part.assign(at(count), -1);
  };
  IN_ALL_WAYS(
      Scatter, Iscatter, [&] { scattered("Scatter"); }, out.data(), count, MPI_INT, part.data(),
      count, MPI_INT, root);
  IN_ALL_WAYS(
      Scatterv, Iscatterv, [&] { scattered("Scatterv"); }, out.data(), counts.data(), places.data(),
      MPI_INT, part.data(), count, MPI_INT, root);
}

void symmetric(const Groups& g, int count) {
  in_all_ways([&] { MPI_Barrier(g.comm); }, [&](MPI_Request* r) { MPI_Ibarrier(g.comm, r); },
              [&](MPI_Request* r) { MPI_Barrier_init(g.comm, MPI_INFO_NULL, r); }, [] {});

  const Ints vector = row(count, own);
  Ints result(at(count), -1);
  IN_ALL_WAYS(
      Allreduce, Iallreduce,
      [&] {
        check(result == row(count, sum(g.theirs), g.remote()), "Allreduce");
        result.assign(at(count), -1);
      },
      vector.data(), result.data(), count, MPI_INT, MPI_SUM);

  Ints expected;
  Ints turned;  // for each of them a block, in another order
  for (int k = 0; k < g.remote(); ++k) {
    const int rank = g.theirs[at(k)];
    for (int i = 0; i < count; ++i) expected.push_back(1000 * rank + i);
    const int last = g.theirs[at(g.remote() - 1 - k)];
    for (int i = 0; i < count; ++i) turned.push_back(1000 * last + i);
  }
  const Ints mine = row(count, 1000 * own);
  Ints all(expected.size(), -1);
  const Ints none(expected.size(), -1);
  IN_ALL_WAYS(
      Allgather, Iallgather,
      [&] {
        check(all == expected, "Allgather");
        all = none;
      },
      mine.data(), count, MPI_INT, all.data(), count, MPI_INT);
  const Ints counts(at(g.remote()), count);
  const Ints backwards = row(g.remote(), (g.remote() - 1) * count, -count);
  IN_ALL_WAYS(
      Allgatherv, Iallgatherv,
      [&] {
        check(all == turned, "Allgatherv");
        all = none;
      },
      mine.data(), count, MPI_INT, all.data(), counts.data(), backwards.data(), MPI_INT);

  Ints out;
  Ints in;
  for (const int rank : g.theirs) {
    for (int i = 0; i < count; ++i) {
      out.push_back(10000 * own + 100 * rank + i % 100);
      in.push_back(10000 * rank + 100 * own + i % 100);
    }
  }
  Ints got(in.size(), -1);
  const auto exchanged = [&](const char* name) {
    check(got == in, name);
    got.assign(in.size(), -1);
  };
  IN_ALL_WAYS(
      Alltoall, Ialltoall, [&] { exchanged("Alltoall"); }, out.data(), count, MPI_INT, got.data(),
      count, MPI_INT);
  const Ints places = row(g.remote(), 0, count);
  IN_ALL_WAYS(
      Alltoallv, Ialltoallv, [&] { exchanged("Alltoallv"); }, out.data(), counts.data(),
      places.data(), MPI_INT, got.data(), counts.data(), places.data(), MPI_INT);
  const Ints bytes = row(g.remote(), 0, count * static_cast<int>(sizeof(int)));
  const std::vector<MPI_Datatype> types(at(g.remote()), MPI_INT);
  IN_ALL_WAYS(
      Alltoallw, Ialltoallw, [&] { exchanged("Alltoallw"); }, out.data(), counts.data(),
      bytes.data(), types.data(), got.data(), counts.data(), bytes.data(), types.data());

  // As many elements on both sides: each rank's part is as long as the other group.
  const int total = g.size() * g.remote();
  const Ints long_vector = row(total, own);
  Ints share(at(g.remote()), -1);
  const auto shared = [&](const char* name) {
    check(share == row(g.remote(), sum(g.theirs) + g.rank * g.remote() * g.remote(), g.remote()),
          name);
    share.assign(at(g.remote()), -1);
  };
  IN_ALL_WAYS(
      Reduce_scatter_block, Ireduce_scatter_block, [&] { shared("Reduce_scatter_block"); },
      long_vector.data(), share.data(), g.remote(), MPI_INT, MPI_SUM);
  const Ints parts(at(g.size()), g.remote());
  IN_ALL_WAYS(
      Reduce_scatter, Ireduce_scatter, [&] { shared("Reduce_scatter"); }, long_vector.data(),
      share.data(), parts.data(), MPI_INT, MPI_SUM);
}

/// @param side  (rank of the job) → 0 or 1
Groups groups_of(const std::function<int(int)>& side) {
  Groups g;
  for (int rank = 0; rank < ranks; ++rank) {
    (side(rank) == side(own) ? g.mine : g.theirs).push_back(rank);
  }
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, side(own), own, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, g.theirs.front(), 5, &g.comm);
  MPI_Comm_free(&half);
  MPI_Comm_rank(g.comm, &g.rank);
  return g;
}

void operations(const Groups& g) {
  for (const int count : {1, 700}) {
    for (const int root : {0, ranks / 2, ranks - 1}) rooted(g, root, count);
    symmetric(g, count);
  }
}

/// What is made of an intercommunicator.
void made_of(const Groups& g) {
  Groups copy = g;
  MPI_Comm_dup(g.comm, &copy.comm);
  rooted(copy, ranks - 1, 3);
  MPI_Comm_free(&copy.comm);

  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Comm_idup(g.comm, &copy.comm, &request);
  finish(&request);
  symmetric(copy, 3);
  MPI_Comm_free(&copy.comm);

  // The first of each group remain, or the others.
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(g.comm, g.rank == 0 ? 1 : 2, 0, &part);
  const bool is_alone = g.rank != 0 && g.remote() == 1;
  check((part == MPI_COMM_NULL) == is_alone, "a split of two groups");
  if (part != MPI_COMM_NULL) {
    int size = 0;
    int remote = 0;
    MPI_Comm_size(part, &size);
    MPI_Comm_remote_size(part, &remote);
    check(size == (g.rank == 0 ? 1 : g.size() - 1), "its own group");
    check(remote == (g.rank == 0 ? 1 : g.remote() - 1), "its other group");
    int total = 0;
    MPI_Allreduce(&own, &total, 1, MPI_INT, MPI_SUM, part);
    check(total == (g.rank == 0 ? g.theirs.front() : sum(g.theirs) - g.theirs.front()),
          "a sum of a part");
    MPI_Comm_free(&part);
  }

  MPI_Group group = MPI_GROUP_NULL;
  MPI_Group first = MPI_GROUP_NULL;
  MPI_Comm_group(g.comm, &group);
  const int zero = 0;
  MPI_Group_incl(group, 1, &zero, &first);
  MPI_Comm_create(g.comm, first, &part);
  check((part != MPI_COMM_NULL) == (g.rank == 0), "Comm_create of two groups");
  if (part != MPI_COMM_NULL) {
    MPI_Barrier(part);
    MPI_Comm_free(&part);
  }
  MPI_Group_free(&first);
  MPI_Group_free(&group);
}

int next() { return (own + 1) % ranks; }
int before() { return (own - 1 + ranks) % ranks; }

/// Communicators that are made while messages go on.
void duplicates() {
  MPI_Comm first = MPI_COMM_NULL;
  MPI_Comm second = MPI_COMM_NULL;
  MPI_Request requests[2];
  // Each waits for its neighbour before it goes on to wait for the communicator.
  MPI_Comm_idup(MPI_COMM_WORLD, &first, &requests[0]);
  int token = own;
  if (own > 0) MPI_Recv(&token, 1, MPI_INT, before(), 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (own < ranks - 1) MPI_Ssend(&token, 1, MPI_INT, own + 1, 1, MPI_COMM_WORLD);
  MPI_Comm_idup(MPI_COMM_WORLD, &second, &requests[1]);
  MPI_Comm third = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &third);
  if (own % 2 == 0) {
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  } else {
    int is_over = 0;
    while (is_over == 0) MPI_Test(&requests[1], &is_over, MPI_STATUS_IGNORE);
    finish(&requests[0]);
  }
  check(token == 0, "a token that goes round");
  // The same tag in all of them.
  Ints in(3, -1);
  const Ints out{own, own + 100, own + 200};
  MPI_Comm all[3]{first, second, third};
  MPI_Request sends[3];
  for (int i = 0; i < 3; ++i) MPI_Isend(&out[at(i)], 1, MPI_INT, next(), 2, all[i], &sends[i]);
  for (int i = 2; i >= 0; --i) {
    MPI_Recv(&in[at(i)], 1, MPI_INT, before(), 2, all[i], MPI_STATUS_IGNORE);
  }
  MPI_Waitall(3, sends, MPI_STATUSES_IGNORE);
  check(in == (Ints{before(), before() + 100, before() + 200}), "messages of three communicators");
  for (MPI_Comm& comm : all) MPI_Comm_free(&comm);
}

struct Job {
  int queried{};
  int freed{};
  int cancelled{-1};
  MPI_Request request{MPI_REQUEST_NULL};
  int polls{};
};

int query(void* state, MPI_Status* status) {
  auto* const job = static_cast<Job*>(state);
  ++job->queried;
  MPI_Status_set_elements(status, MPI_INT, 3);
  MPI_Status_set_cancelled(status, job->cancelled >= 0 ? 1 : 0);
  status->MPI_SOURCE = 77;
  status->MPI_TAG = 88;
  return MPI_SUCCESS;
}
int release(void* state) {
  ++static_cast<Job*>(state)->freed;
  return MPI_SUCCESS;
}
int cancel(void* state, int complete) {
  static_cast<Job*>(state)->cancelled = complete;
  return MPI_SUCCESS;
}

void generalised() {
  Job job;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Grequest_start(query, release, cancel, &job, &request);
  int flag = -1;
  MPI_Status status;
  MPI_Test(&request, &flag, &status);
  check(flag == 0 && job.queried == 0, "a test before the end");
  MPI_Cancel(&request);
  check(job.cancelled == 0, "a cancel before the end");
  MPI_Grequest_complete(request);
  MPI_Request_get_status(request, &flag, &status);
  check(flag == 1 && job.queried == 1 && job.freed == 0, "a look at the end");
  MPI_Wait(&request, &status);
  int count = 0;
  MPI_Get_count(&status, MPI_INT, &count);
  int was_cancelled = 0;
  MPI_Test_cancelled(&status, &was_cancelled);
  check(job.queried == 2 && job.freed == 1 && request == MPI_REQUEST_NULL, "the end");
  check(count == 3 && status.MPI_SOURCE == 77 && status.MPI_TAG == 88 && was_cancelled == 1,
        "what the program says of it");

  // With others; and freed before its end.
  Job other;
  MPI_Request several[2];
  int value = -1;
  MPI_Grequest_start(query, release, cancel, &other, &several[0]);
  MPI_Irecv(&value, 1, MPI_INT, before(), 3, MPI_COMM_WORLD, &several[1]);
  MPI_Send(&own, 1, MPI_INT, next(), 3, MPI_COMM_WORLD);
  int index = -1;
  MPI_Waitany(2, several, &index, MPI_STATUS_IGNORE);
  check(index == 1 && value == before(), "the other one is over first");
  MPI_Grequest_complete(several[0]);
  MPI_Waitall(2, several, MPI_STATUSES_IGNORE);
  check(other.freed == 1, "all are over");
  Job left;
  MPI_Grequest_start(query, release, cancel, &left, &request);
  const MPI_Request kept = request;
  MPI_Request_free(&request);
  check(request == MPI_REQUEST_NULL, "freed, and not over");
  MPI_Grequest_complete(kept);
  check(left.freed == 1 && left.queried == 0, "over at last");
}

#ifdef MPICH_VERSION
int poll(void* state, MPI_Status*) {
  auto* const job = static_cast<Job*>(state);
  if (++job->polls == 3) MPI_Grequest_complete(job->request);
  return MPI_SUCCESS;
}
int wait_for(int count, void** states, double, MPI_Status*) {
  for (int i = 0; i < count; ++i) {
    MPI_Grequest_complete(static_cast<Job*>(states[i])->request);
  }
  return MPI_SUCCESS;
}

/// MPI asks the program: what ROMIO uses.
void generalised_and_asked() {
  Job asked;
  MPIX_Grequest_start(query, release, cancel, poll, wait_for, &asked, &asked.request);
  MPI_Request request = asked.request;
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check(asked.freed == 1, "asked until it is over");
  Job tested;
  MPIX_Grequest_start(query, release, cancel, poll, wait_for, &tested, &tested.request);
  request = tested.request;
  int flag = 0;
  while (flag == 0) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  check(tested.polls >= 3 && tested.freed == 1, "tested until it is over");
  MPIX_Grequest_class kind;
  MPIX_Grequest_class_create(query, release, cancel, poll, wait_for, &kind);
  Job waited;
  MPIX_Grequest_class_allocate(kind, &waited, &waited.request);
  request = waited.request;
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check(waited.freed == 1, "the program waits");
  if (is_native) return;  // MPICH takes it for an address
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  check(MPIX_Grequest_class_allocate(kind + 1, &waited, &request) != MPI_SUCCESS, "no class");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}
#else
void generalised_and_asked() {}
#endif

void send_and_receive() {
#if MPI_VERSION >= 4
  const Ints out = row(600, own);
  Ints in(700, -1);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status;
  MPI_Isendrecv(out.data(), 600, MPI_INT, next(), 4, in.data(), 700, MPI_INT, before(), 4,
                MPI_COMM_WORLD, &request);
  MPI_Wait(&request, &status);
  int count = 0;
  MPI_Get_count(&status, MPI_INT, &count);
  check(in[599] == before() + 599 && in[600] == -1, "Isendrecv");
  if (is_native) return;  // no status, a wrong result of the next, and a crash of the last
  check(count == 600 && status.MPI_SOURCE == before() && status.MPI_TAG == 4, "its status");
  Ints both = out;
  MPI_Isendrecv_replace(both.data(), 600, MPI_INT, next(), 4, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD,
                        &request);
  MPI_Wait(&request, &status);
  check(both == row(600, before()) && status.MPI_SOURCE == before(), "Isendrecv_replace");
  MPI_Isendrecv(out.data(), 1, MPI_INT, MPI_PROC_NULL, 4, in.data(), 1, MPI_INT, MPI_PROC_NULL, 4,
                MPI_COMM_WORLD, &request);
  MPI_Wait(&request, &status);
  check(status.MPI_SOURCE == MPI_PROC_NULL, "Isendrecv of nobody");
#endif
}

void cancelled() {
  int first = -1;
  int second = -1;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status;
  MPI_Irecv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  int was_cancelled = 0;
  MPI_Test_cancelled(&status, &was_cancelled);
  check(was_cancelled == 1 && request == MPI_REQUEST_NULL, "a receive is cancelled");
  // Nobody has sent before all have cancelled: the other receive gets the message.
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Sendrecv(&own, 1, MPI_INT, next(), 6, &second, 1, MPI_INT, before(), 6, MPI_COMM_WORLD,
               &status);
  MPI_Test_cancelled(&status, &was_cancelled);
  check(first == -1 && second == before() && was_cancelled == 0, "the next one gets the message");

  // A message has come: it is too late.
  MPI_Request sent = MPI_REQUEST_NULL;
  MPI_Isend(&own, 1, MPI_INT, own, 7, MPI_COMM_WORLD, &sent);
  MPI_Irecv(&first, 1, MPI_INT, own, 7, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  MPI_Wait(&sent, MPI_STATUS_IGNORE);
  MPI_Test_cancelled(&status, &was_cancelled);
  check(was_cancelled == 0 && first == own, "too late to cancel");

  // Persistent: it may start again.
  MPI_Recv_init(&first, 1, MPI_INT, before(), 8, MPI_COMM_WORLD, &request);
  MPI_Start(&request);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &was_cancelled);
  check(was_cancelled == 1 && request != MPI_REQUEST_NULL, "a persistent one is cancelled");
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Start(&request);
  MPI_Send(&own, 1, MPI_INT, next(), 8, MPI_COMM_WORLD);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &was_cancelled);
  check(was_cancelled == 0 && first == before(), "and goes on the next time");
  MPI_Request_free(&request);
}

/// Whoever frees a request learns of its end by other ways.
void left_alone() {
  int value = -1;
  int answer = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(&value, 1, MPI_INT, before(), 9, MPI_COMM_WORLD, &request);
  MPI_Request_free(&request);
  check(request == MPI_REQUEST_NULL, "a receive that is freed");
  MPI_Send(&own, 1, MPI_INT, next(), 9, MPI_COMM_WORLD);
  MPI_Sendrecv(&own, 1, MPI_INT, next(), 10, &answer, 1, MPI_INT, before(), 10, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  check(value == before() && answer == before(), "its data");
}

int told = 0;
int told_class = 0;

void note_error(MPI_Comm*, int* code, ...) {
  ++told;
  MPI_Error_class(*code, &told_class);
}

/// The handler is called once, with the right class.
void errors() {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(note_error, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  int value = 0;
  int other = 0;
  const auto expect = [](int code, int wanted, const char* what) {
    int found = MPI_SUCCESS;
    MPI_Error_class(code, &found);
    check(told == 1 && told_class == wanted && found == wanted, what);
    told = 0;
  };
  expect(MPI_Send(&value, 1, MPI_INT, ranks, 0, comm), MPI_ERR_RANK, "a wrong rank");
  expect(MPI_Send(&value, 1, MPI_INT, 0, -5, comm), MPI_ERR_TAG, "a wrong tag");
  expect(MPI_Send(&value, -1, MPI_INT, 0, 0, comm), MPI_ERR_COUNT, "a wrong count");
  expect(MPI_Recv(&value, 1, MPI_DATATYPE_NULL, 0, 0, comm, MPI_STATUS_IGNORE), MPI_ERR_TYPE,
         "no type");
  expect(MPI_Bcast(&value, 1, MPI_INT, ranks, comm), MPI_ERR_ROOT, "a wrong root");
  expect(MPI_Bcast(&value, -1, MPI_INT, 0, comm), MPI_ERR_COUNT, "a wrong count of a broadcast");
  expect(MPI_Allreduce(&value, &other, 1, MPI_INT, MPI_OP_NULL, comm), MPI_ERR_OP, "no operator");
  MPI_Errhandler_free(&handler);
  MPI_Comm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const std::string mode = argc > 1 ? argv[1] : "";
  is_native = mode == "natively";
  MPI_Comm_rank(MPI_COMM_WORLD, &own);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks > 1) {
    for (const int first : {1, ranks / 2, ranks - 1}) {
      Groups g = groups_of([&](int rank) { return rank < first ? 0 : 1; });
      operations(g);
      MPI_Comm_free(&g.comm);
    }
    Groups g = groups_of([](int rank) { return rank % 2; });
    operations(g);
    made_of(g);
    MPI_Comm_free(&g.comm);
  }
  // Only what a replay does, too.
  const bool is_replayed = mode == "replayed";
  if (is_replayed) send_and_receive();
  for (const auto test : {duplicates, generalised, generalised_and_asked, send_and_receive,
                          cancelled, left_alone, errors}) {
    if (is_replayed) break;
    test();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  int all = 0;
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return all == 0 ? 0 : 1;
}
