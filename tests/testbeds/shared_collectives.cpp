// Times of operations of all ranks, where they share links: flat scatter and gather, pairwise all-to-all.
//
//   shared_collectives REPETITIONS SIZE [SIZE...]
//
// Prints operation,from,size_bytes,time_s, a line for each repetition: from a common start until the
// last rank is done, of gathers until the root is. All ranks read one clock: it is one machine.

#include <mpi.h>
#include <sched.h>

#include <cstdio>
#include <string>
#include <vector>

namespace {

int ranks = 0;
int rank = 0;

/// Ranks share cores: who waits lets others run.
void wait(MPI_Request request) {
  for (int done = 0; done == 0;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done == 0) sched_yield();
  }
}

void send(const char* data, int size, int to) {
  MPI_Request request;
  MPI_Isend(data, size, MPI_BYTE, to, 0, MPI_COMM_WORLD, &request);
  wait(request);
}

void receive(char* data, int size, int from) {
  MPI_Request request;
  MPI_Irecv(data, size, MPI_BYTE, from, 0, MPI_COMM_WORLD, &request);
  wait(request);
}

struct Buffers {
  explicit Buffers(int bytes)
      : size{bytes},
        out(static_cast<std::size_t>(bytes) * static_cast<std::size_t>(ranks)),
        in(out.size()) {}
  int size;
  std::vector<char> out;
  std::vector<char> in;
};

/// MPI_Alltoall as MPICH does it where blocks are long and ranks are a power of two; but it gives its
/// core away.
void exchange_pairwise(Buffers& b) {
  for (int step = 1; step < ranks; ++step) {
    const int peer = rank ^ step;
    MPI_Request received;
    MPI_Irecv(b.in.data(), b.size, MPI_BYTE, peer, 0, MPI_COMM_WORLD, &received);
    send(b.out.data(), b.size, peer);
    wait(received);
  }
}

void run(const std::string& operation, int root, Buffers& b) {
  if (operation == "all-to-all") return exchange_pairwise(b);
  const bool scatters = operation == "scatter";
  if (rank != root) {
    return scatters ? receive(b.in.data(), b.size, root) : send(b.out.data(), b.size, root);
  }
  for (int peer = 0; peer < ranks; ++peer) {
    if (peer == root) continue;
    scatters ? send(b.out.data(), b.size, peer) : receive(b.in.data(), b.size, peer);
  }
}

/// Nothing is under way any more then.
double common_start() {
  constexpr double ahead = 5e-3;  ///< [s]
  MPI_Request barrier;
  MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
  wait(barrier);
  const double now = MPI_Wtime() + ahead;
  double start = 0;
  MPI_Request latest;
  MPI_Iallreduce(&now, &start, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD, &latest);
  wait(latest);
  while (MPI_Wtime() < start) sched_yield();
  return start;
}

void measure(const std::string& operation, int root, Buffers& buffers, int repetitions) {
  for (int k = -1; k < repetitions; ++k) {
    const double start = common_start();
    run(operation, root, buffers);
    const double end = MPI_Wtime();
    double last = 0;
    const bool counts = operation != "gather" || rank == root;
    const double mine = counts ? end : start;
    MPI_Allreduce(&mine, &last, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0 && k >= 0) {
      std::printf("%s,%d,%d,%.9g\n", operation.c_str(), root, buffers.size, last - start);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int repetitions = argc > 1 ? std::stoi(argv[1]) : 3;
  for (int k = 2; k < argc; ++k) {
    Buffers buffers(std::stoi(argv[k]));
    for (const int root : {0, ranks - 1}) {
      measure("scatter", root, buffers, repetitions);
      measure("gather", root, buffers, repetitions);
    }
    measure("all-to-all", 0, buffers, repetitions);
  }
  std::fflush(stdout);
  MPI_Finalize();
}
