// Programs whose times tell what a disturbance did. `AT` and `LENGTH` are virtual [s].
//
//   emulated-disturbed send|receive|wait AT SIZE
//   emulated-disturbed look AT LENGTH
//
// send: rank 0 sleeps until AT, then sends to rank 1; receive: the reverse, rank 1 sleeps and
// receives what was sent at once; wait: rank 1 waits for what rank 0 sends at AT. look: every rank
// sleeps until AT and then looks at its clocks for LENGTH.
// Prints the rank, its virtual time at its end, what its clocks went on by while it looked (wall,
// CPU of the thread) and its involuntary switches.

#include <mpi.h>
#include <sys/resource.h>
#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

double read(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void sleep_until(double time) {
  const double left = time - MPI_Wtime();
  const timespec pause{
      static_cast<time_t>(left),
      static_cast<long>((left - static_cast<double>(static_cast<time_t>(left))) * 1e9)};
  nanosleep(&pause, nullptr);
}

long involuntary_switches() {
  rusage use{};
  getrusage(RUSAGE_THREAD, &use);
  return use.ru_nivcsw;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc < 4) MPI_Abort(MPI_COMM_WORLD, 2);
  const std::string what = argv[1];
  const double at = std::atof(argv[2]);
  int own = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &own);
  double wall = 0;
  double cpu = 0;
  if (what == "look") {
    sleep_until(at);
    cpu = read(CLOCK_THREAD_CPUTIME_ID);
    wall = read(CLOCK_MONOTONIC);
    while (read(CLOCK_MONOTONIC) - wall < std::atof(argv[3])) continue;
    cpu = read(CLOCK_THREAD_CPUTIME_ID) - cpu;
    wall = read(CLOCK_MONOTONIC) - wall;
  } else if (own < 2) {
    const int size = std::atoi(argv[3]);
    std::vector<char> bytes(static_cast<std::size_t>(size));
    if (own == (what == "receive" ? 1 : 0)) sleep_until(at);
    if (own == 0) MPI_Send(bytes.data(), size, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    if (own == 1) MPI_Recv(bytes.data(), size, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  std::printf("%d %.12f %.9f %.9f %ld\n", own, MPI_Wtime(), wall, cpu, involuntary_switches());
  MPI_Finalize();
}
