// Random programs of point-to-point messages (random_program.hpp) on live processes.
//
//   emulated-random-programs COUNT FIRST_SEED
//
// Prints a line for each program: its seed and every rank's virtual time at its end, to the bit.

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <list>
#include <memory>
#include <vector>

#include "../libsimulate/random_program.hpp"
#include "random_run.hpp"

namespace {

using random_run::at;

/// What a coroutine awaits that has come already, because the call of MPI blocked.
template <class T>
struct Ready {
  T value;
  bool await_ready() const { return true; }
  void await_suspend(std::coroutine_handle<>) const {}
  T await_resume() const { return value; }
};

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "rank %d: %s\n", random_run::own, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/// A rank of MPI_COMM_WORLD, as Program wants it. Bytes of messages tell their senders; those of an
/// int's size hold a task.
class LiveRank {
 public:
  struct Pending {
    MPI_Request request{MPI_REQUEST_NULL};
    std::vector<char> data;
    bool is_receive{};
  };
  using Request = Pending*;
  struct Found {
    int index;
    int source;
  };

  void compute(int microseconds) const { random_run::compute(microseconds); }
  void note_task(int, int task) { task_ = task; }
  [[nodiscard]] int noted_task(int) const { return task_; }

  Request start_send(int to, int bytes, int tag) {
    Pending& pending = pending_.emplace_back(MPI_REQUEST_NULL, data_of(own, bytes), false);
    MPI_Isend(pending.data.data(), bytes, MPI_BYTE, to, tag, MPI_COMM_WORLD, &pending.request);
    return &pending;
  }
  Request start_receive(int from, int bytes, int tag) {
    Pending& pending = pending_.emplace_back(MPI_REQUEST_NULL, std::vector<char>(at(bytes)), true);
    MPI_Irecv(pending.data.data(), bytes, MPI_BYTE, source(from), tag, MPI_COMM_WORLD,
              &pending.request);
    return &pending;
  }
  Ready<int> send(int to, int bytes, int tag, bool synchronous) {
    const std::vector<char> data = data_of(own, bytes);
    (synchronous ? MPI_Ssend : MPI_Send)(data.data(), bytes, MPI_BYTE, to, tag, MPI_COMM_WORLD);
    return {0};
  }
  Ready<int> receive(int from, int bytes, int tag) {
    std::vector<char> data(at(bytes));
    MPI_Status status;
    MPI_Recv(data.data(), bytes, MPI_BYTE, source(from), tag, MPI_COMM_WORLD, &status);
    check(data, status.MPI_SOURCE);
    require(from == random_program::any || status.MPI_SOURCE == from, "wrong source");
    return {status.MPI_SOURCE};
  }
  Ready<int> probe(int from, int tag) const {
    MPI_Status status;
    MPI_Probe(source(from), tag, MPI_COMM_WORLD, &status);
    return {status.MPI_SOURCE};
  }
  Ready<int> try_probe(int from, int tag) const {
    int found = 0;
    MPI_Status status;
    MPI_Iprobe(source(from), tag, MPI_COMM_WORLD, &found, &status);
    return {found != 0 ? status.MPI_SOURCE : random_program::nobody};
  }
  Ready<bool> test(Request tested) {
    int done = 0;
    MPI_Status status;
    MPI_Test(&tested->request, &done, &status);
    return {done != 0};
  }
  Ready<int> wait_all(const std::vector<Request>& waited) {
    std::vector<MPI_Request> requests = handles(waited);
    std::vector<MPI_Status> statuses(requests.size());
    MPI_Waitall(count(requests), requests.data(), statuses.data());
    for (std::size_t i = 0; i < waited.size(); ++i) take(waited, static_cast<int>(i), statuses[i]);
    return {0};
  }
  Ready<Found> wait_any(const std::vector<Request>& waited) {
    std::vector<MPI_Request> requests = handles(waited);
    MPI_Status status;
    int index = 0;
    MPI_Waitany(count(requests), requests.data(), &index, &status);
    return {take(waited, index, status)};
  }
  Ready<std::vector<Found>> wait_some(const std::vector<Request>& waited) {
    std::vector<MPI_Request> requests = handles(waited);
    std::vector<MPI_Status> statuses(requests.size());
    std::vector<int> indices(requests.size());
    int many = 0;
    MPI_Waitsome(count(requests), requests.data(), &many, indices.data(), statuses.data());
    std::vector<Found> found;
    for (int i = 0; i < many; ++i) found.push_back(take(waited, indices[at(i)], statuses[at(i)]));
    return {found};
  }

  int own{random_run::own};
  int ranks{random_run::ranks};

 private:
  static int source(int from) { return from == random_program::any ? MPI_ANY_SOURCE : from; }
  static int count(const std::vector<MPI_Request>& requests) {
    return static_cast<int>(requests.size());
  }
  static std::vector<MPI_Request> handles(const std::vector<Request>& waited) {
    std::vector<MPI_Request> requests;
    for (const Request one : waited) requests.push_back(one->request);
    return requests;
  }
  Found take(const std::vector<Request>& waited, int index, const MPI_Status& status) {
    Pending& one = *waited[at(index)];
    one.request = MPI_REQUEST_NULL;
    if (one.is_receive) check(one.data, status.MPI_SOURCE);
    return {index, status.MPI_SOURCE};
  }
  [[nodiscard]] std::vector<char> data_of(int rank, int bytes) const {
    std::vector<char> data(at(bytes), static_cast<char>(rank));
    if (data.size() == sizeof task_) std::memcpy(data.data(), &task_, sizeof task_);
    return data;
  }
  void check(const std::vector<char>& data, int from) {
    if (data.size() == sizeof task_) {
      std::memcpy(&task_, data.data(), sizeof task_);
    } else {
      require(data == std::vector<char>(data.size(), static_cast<char>(from)), "wrong data");
    }
  }

  std::list<Pending> pending_;
  int task_{};
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &random_run::own);
  MPI_Comm_size(MPI_COMM_WORLD, &random_run::ranks);
  const std::uint64_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
  const std::uint64_t first = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  random_run::run_all(count, first, [](std::uint64_t seed) {
    LiveRank rank;
    random_program::Program<LiveRank> program(rank, seed);
    const random_program::Task task = program.run();
    task.handle().resume();
    task.check();
  });
  MPI_Finalize();
}
