// What recording adds to a call of MPI, by calls that cost next to nothing: messages of one byte to
// itself, probes in vain, sends to nobody. Run it by itself, then recorded:
//
//   benchmark-recording
//   record -o trace --clock wall benchmark-recording
//   record -o trace benchmark-recording
//
// A recorded call reads the monotonic clock twice, and with --clock cpu the thread's CPU clock
// twice. What that costs stands beside, for its readings are to be taken off. Times are CPU time,
// kernel's included, so that others on the machine disturb less.

#include <mpi.h>
#include <time.h>

#include <cstdio>
#include <cstdlib>

namespace {

double read(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

/// Of one turn [ns], the least of several series.
template <class Turn>
double cost(int turns, Turn&& turn) {
  double least = 1e300;
  for (int series = 0; series < 5; ++series) {
    const double start = read(CLOCK_PROCESS_CPUTIME_ID);
    for (int i = 0; i < turns; ++i) turn();
    const double taken = (read(CLOCK_PROCESS_CPUTIME_ID) - start) / turns;
    least = taken < least ? taken : least;
  }
  return least;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int turns = argc > 1 ? std::atoi(argv[1]) : 200000;
  char out = 0;
  char in = 0;
  const double message = cost(turns, [&] {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(&in, 1, MPI_CHAR, 0, 0, MPI_COMM_SELF, &request);
    MPI_Send(&out, 1, MPI_CHAR, 0, 0, MPI_COMM_SELF);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  });
  const double probe = cost(turns, [] {
    int found = 0;
    MPI_Iprobe(0, 1, MPI_COMM_SELF, &found, MPI_STATUS_IGNORE);
  });
  const double nothing =
      cost(turns, [&] { MPI_Send(&out, 1, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_SELF); });
  const double wall = cost(turns, [] { (void)read(CLOCK_MONOTONIC); });
  const double cpu = cost(turns, [] { (void)read(CLOCK_THREAD_CPUTIME_ID); });
  std::printf("MPI_Irecv, MPI_Send, MPI_Wait: %.0f ns a call\n", message / 3);
  std::printf("MPI_Iprobe in vain: %.0f ns\n", probe);
  std::printf("MPI_Send to nobody: %.0f ns\n", nothing);
  std::printf("two readings of the monotonic clock: %.0f ns\n", 2 * wall);
  std::printf("two readings of the thread's CPU clock: %.0f ns\n", 2 * cpu);
  MPI_Finalize();
}
