// What messages of many live ranks cost in real time, and their memory: a ring, a binomial
// broadcast, a master with workers, an all-to-all.
//
//   mpiexec -n 64 emulate --model model.json --hosts 64 --ranks-per-host 1 --compute none
//   benchmark-live-ranks
//
// Run by itself it polls: use as many ranks as there are cores, or none of its times.

#include <mpi.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <vector>

namespace {

int own = 0;
int ranks = 0;

/// Not the clock that an emulation puts in its place [s].
double real_time() {
  timespec now{};
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void ring(int rounds) {
  char out[64]{};
  char in[64];
  for (int k = 0; k < rounds; ++k) {
    MPI_Sendrecv(out, sizeof out, MPI_CHAR, (own + 1) % ranks, 0, in, sizeof in, MPI_CHAR,
                 (own + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

void broadcasts(int rounds) {
  char data[64]{};
  for (int k = 0; k < rounds; ++k) MPI_Bcast(data, sizeof data, MPI_CHAR, 0, MPI_COMM_WORLD);
}

void master_and_workers(int tasks) {
  int task = 0;
  MPI_Status status;
  if (own != 0) {
    for (; task >= 0;) {
      MPI_Send(&task, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
      MPI_Recv(&task, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &status);
    }
    return;
  }
  for (int left = tasks + ranks - 1; left > 0; --left) {
    MPI_Recv(&task, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
    task = left >= ranks ? left : -1;
    MPI_Send(&task, 1, MPI_INT, status.MPI_SOURCE, 0, MPI_COMM_WORLD);
  }
}

void all_to_all() {
  std::vector<int> out(static_cast<std::size_t>(ranks), own);
  std::vector<int> in(out.size());
  MPI_Alltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, MPI_COMM_WORLD);
}

template <class Work>
void measure(const char* name, double messages, Work&& work) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = real_time();
  work();
  MPI_Barrier(MPI_COMM_WORLD);
  if (own == 0) {
    std::printf("%-12s %6d ranks %9.0f messages %8.2f us a message\n", name, ranks, messages,
                (real_time() - start) / messages * 1e6);
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &own);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  constexpr int rounds = 200;
  const double n = ranks;
  measure("ring", n * rounds, [] { ring(rounds); });
  measure("broadcast", (n - 1) * rounds, [] { broadcasts(rounds); });
  const int tasks = 20 * ranks;
  measure("master", 2 * (tasks + n - 1), [=] { master_and_workers(tasks); });
  measure("all-to-all", n * (n - 1), all_to_all);
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  const double mebibytes = static_cast<double>(use.ru_maxrss) / 1024;
  double most = 0;
  MPI_Reduce(&mebibytes, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (own == 0) std::printf("at most %.1f MiB resident in a rank, what is shared included\n", most);
  MPI_Finalize();
}
