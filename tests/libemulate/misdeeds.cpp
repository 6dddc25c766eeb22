// Programs that an emulation must refuse, or measure. `none` says when it is over.
//
//   emulated-misdeeds deadlock|lock|services|port|compute|none

#include <mpi.h>
#include <time.h>

#include <cstdio>
#include <string_view>

namespace {

double cpu_time() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const std::string_view what = argc > 1 ? argv[1] : "";
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  char data[8] = {};
  if (what == "deadlock") {
    MPI_Recv(data, 1, MPI_CHAR, (rank + 1) % ranks, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (what == "lock") {
    MPI_Win window = MPI_WIN_NULL;
    MPI_Win_create(data, sizeof data, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
    MPI_Recv(data, 1, MPI_CHAR, 2, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (what == "services") {
    if (rank == 1) MPI_Publish_name("a service", MPI_INFO_NULL, "a port");
    MPI_Barrier(MPI_COMM_WORLD);
  } else if (what == "port") {
    for (int line = 0; line < 20000; ++line) std::printf("line %d of much output\n", line);
    std::fflush(stdout);
    char port[MPI_MAX_PORT_NAME] = {};
    MPI_Open_port(MPI_INFO_NULL, port);
  } else if (what == "compute") {
    const double start = cpu_time();
    while (cpu_time() - start < 0.2) continue;
    std::printf("%d %.9f\n", rank, cpu_time() - start);
    std::fflush(stdout);
  }
  MPI_Finalize();
  if (what == "none") std::puts("over");
}
