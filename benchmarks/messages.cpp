// Messages per second, real ones: run it by itself and under emulate, side by side.
//
//   mpiexec -n 2 benchmark-messages
//   mpiexec -n 2 emulate --model model.json benchmark-messages

#include <mpi.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <vector>

namespace {

constexpr int messages = 20000;
constexpr int repetitions = 9;

/// Not the clock that an emulation puts in its place [s].
double real_time() {
  timespec now{};
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void round_trips(int rank, std::vector<char>& data) {
  const int size = static_cast<int>(data.size());
  for (int i = 0; i < messages / 2; ++i) {
    if (rank == 0) MPI_Send(data.data(), size, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    MPI_Recv(data.data(), size, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(data.data(), size, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
  }
}

/// One way, with an answer at the end.
void stream(int rank, std::vector<char>& data) {
  const int size = static_cast<int>(data.size());
  for (int i = 0; i < messages; ++i) {
    if (rank == 0) {
      MPI_Send(data.data(), size, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    } else {
      MPI_Recv(data.data(), size, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  if (rank == 1) MPI_Send(nullptr, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
  if (rank == 0) MPI_Recv(nullptr, 0, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void report(const char* name, void (*pattern)(int, std::vector<char>&), int rank, int size) {
  std::vector<char> data(static_cast<std::size_t>(size));
  std::vector<double> times;
  pattern(rank, data);
  for (int i = 0; i < repetitions; ++i) {
    const double start = real_time();
    pattern(rank, data);
    times.push_back((real_time() - start) / messages);
  }
  std::sort(times.begin(), times.end());
  if (rank != 0) return;
  std::printf("%-12s %6d B  %8.2f us a message (%.2f to %.2f), %9.0f messages per second\n", name,
              size, times[repetitions / 2] * 1e6, times.front() * 1e6, times.back() * 1e6,
              1 / times[repetitions / 2]);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const bool fits = ranks == 2;
  if (!fits && rank == 0) {
    std::fprintf(stderr, "benchmark-messages: %d ranks (it needs two): start it with -n 2\n",
                 ranks);
  }
  for (const int size : {8, 4096}) {
    if (fits) report("round trips", round_trips, rank, size);
    if (fits) report("one way", stream, rank, size);
  }
  MPI_Finalize();
  return fits ? 0 : 2;
}
