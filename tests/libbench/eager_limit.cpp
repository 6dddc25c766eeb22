// Probes the eager limit ten times and compares with the first argument: the exact limit, or
// nothing to just print what is found.

#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "timing/eager_probe.hpp"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  constexpr commgauge::Bytes largest{1 << 20};
  const auto one_way = [](commgauge::Bytes size) {
    return commgauge::Seconds{1e-4 + 1e-9 * static_cast<double>(size.value)};
  };
  int wrong = 0;
  for (int run = 0; run < 10; ++run) {
    const double start = MPI_Wtime();
    const auto found = commgauge::bench::probe_eager_limit(MPI_COMM_WORLD, 0, 1, largest, one_way);
    const unsigned long long limit = found ? found->value : 0;
    if (argc > 1 && limit != std::strtoull(argv[1], nullptr, 10)) ++wrong;
    if (rank == 0) std::printf("%llu bytes in %.2f s\n", limit, MPI_Wtime() - start);
  }
  // MPI_Finalize hangs over UCX's TCP now and then; what is tested is done.
  std::fflush(stdout);
  MPI_Barrier(MPI_COMM_WORLD);
  _exit(wrong > 0);
}
