// Times of MPI's operations of all ranks, where they share links: MPI_Iscatterv and MPI_Igatherv,
// which are flat, and MPI_Ialltoall. Their blocking kin wouldn't give the core away while they
// wait.
//
//   shared_collectives REPETITIONS SIZE [SIZE...]
//
// Prints operation,from,size_bytes,time_s, a line for each repetition: from a common start until
// the last rank is done, of gathers until the root is. All ranks read one clock: it is one machine.

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

struct Buffers {
  explicit Buffers(int bytes)
      : size{bytes},
        sizes(static_cast<std::size_t>(ranks), bytes),
        out(static_cast<std::size_t>(bytes) * sizes.size()),
        in(out.size()) {
    for (int r = 0; r < ranks; ++r) places.push_back(r * bytes);
  }
  int size;
  std::vector<int> sizes;
  std::vector<int> places;
  std::vector<char> out;
  std::vector<char> in;
};

void run(const std::string& operation, int root, Buffers& b) {
  MPI_Request request;
  if (operation == "scatter") {
    MPI_Iscatterv(b.out.data(), b.sizes.data(), b.places.data(), MPI_BYTE, b.in.data(), b.size,
                  MPI_BYTE, root, MPI_COMM_WORLD, &request);
  } else if (operation == "gather") {
    MPI_Igatherv(b.out.data(), b.size, MPI_BYTE, b.in.data(), b.sizes.data(), b.places.data(),
                 MPI_BYTE, root, MPI_COMM_WORLD, &request);
  } else {
    MPI_Ialltoall(b.out.data(), b.size, MPI_BYTE, b.in.data(), b.size, MPI_BYTE, MPI_COMM_WORLD,
                  &request);
  }
  wait(request);
}

/// Of all ranks' times.
double latest(double mine) {
  double all = 0;
  MPI_Request request;
  MPI_Iallreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD, &request);
  wait(request);
  return all;
}

/// Nothing is under way any more then.
double common_start() {
  constexpr double ahead = 5e-3;  ///< [s]
  MPI_Request barrier;
  MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
  wait(barrier);
  const double start = latest(MPI_Wtime() + ahead);
  while (MPI_Wtime() < start) sched_yield();
  return start;
}

void measure(const std::string& operation, int root, Buffers& buffers, int repetitions) {
  for (int k = -1; k < repetitions; ++k) {
    const double start = common_start();
    run(operation, root, buffers);
    const double end = MPI_Wtime();
    const bool counts = operation != "gather" || rank == root;
    const double last = latest(counts ? end : start);
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
