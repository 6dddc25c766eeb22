// Bandwidth as NetPIPE means it: a message forth and back, the same buffers every time.
//
//   mpiexec -n 2 bandwidth [BYTES]
//
// Prints that of one direction [MB/s].

#include <mpi.h>

#include <cstdio>

#include "commgauge/bench/calibrate/calibrate.hpp"
#include "common/output/report.hpp"
#include "measuring/mpi_session.hpp"

namespace {

void run(commgauge::Bytes size) {
  commgauge::bench::Options options;
  options.buffers = commgauge::bench::Buffers::same;
  options.sizes = {size};  // the largest decides how long the buffers are
  options.passes = 1;
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

const char* const commgauge::tools::program_name = "bandwidth";

int main(int argc, char** argv) {
  using namespace commgauge::tools;
  const MpiSession session(argc, argv);
  return session.leave(session.everywhere([&] {
    run(argc > 1 ? commgauge::parse_size(argv[1]) : commgauge::Bytes{4 << 20});
    return commgauge::ExitCode::done;
  }));
}
