// Bandwidth as NetPIPE means it: a message forth and back, the same buffers every time. Start it under
// mpiexec, over the network that is to be judged, and NPmpich2 beside it (tests/testbeds/round_trips.py
// does both):
//
//   mpiexec -n 2 benchmark-bandwidth [BYTES]
//
// Prints [MB/s] of one direction.

#include <mpi.h>

#include <cstdio>

#include "commgauge/bench/calibrate.hpp"
#include "commgauge/error.hpp"

namespace {

void run(commgauge::Bytes size) {
  commgauge::bench::Options options;
  options.buffers = commgauge::bench::Buffers::same;
  options.sizes = {size};  // the largest decides how long the buffers are
  const commgauge::Measurements measured = commgauge::bench::measure_experiments(
      MPI_COMM_WORLD, {commgauge::round_trip(0, 1, size, size)}, options);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) return;
  double sum = 0;
  for (const commgauge::Observation& row : measured.observations) sum += row.time_s;
  const double mean = sum / static_cast<double>(measured.observations.size());
  std::printf("%.2f\n", 2 * static_cast<double>(size.value) / mean / 1e6);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  try {
    run(argc > 1 ? commgauge::parse_size(argv[1]) : commgauge::Bytes{4 << 20});
  } catch (const commgauge::Error& error) {
    std::fprintf(stderr, "benchmark-bandwidth: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Finalize();
}
