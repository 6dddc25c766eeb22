// What the LogP family of one pair costs at 5 % precision, in five passes: seconds and experiments.
// Start it under mpiexec, over the network that is to be judged:
//
//   mpiexec -n 2 benchmark-logp

#include <mpi.h>

#include <cstdio>

#include "commgauge/bench/calibrate/calibrate.hpp"
#include "common/output/report.hpp"
#include "measuring/mpi_session.hpp"

namespace {

void run() {
  commgauge::bench::Options options;
  options.models = {"logp", "loggp", "loggps", "plogp"};
  options.logp_pairs = commgauge::LogPPairs::one;
  options.precision = 0.05;
  options.passes = 5;
  options.checks = false;
  const commgauge::Measurements measured = commgauge::bench::measure(MPI_COMM_WORLD, options);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) return;
  const commgauge::Launch& launch = measured.launches.front();
  double bytes = 0;
  std::size_t open = 0;
  for (const auto& row : measured.observations) {
    const commgauge::Experiment& e = row.experiment;
    bytes += static_cast<double>(row.blocks) * row.block_length *
             (e.messages * static_cast<double>(e.out.value) + static_cast<double>(e.back.value));
    open += row.converged ? 0 : 1;
  }
  std::printf("seconds                   %.2f\n", launch.elapsed_s);
  std::printf("bytes sent                %.1f MB\n", bytes / 1e6);
  std::printf("experiments               %zu in %d passes, %zu not converged\n",
              measured.observations.size(), launch.passes, open);
}

}  // namespace

const char* const commgauge::tools::program_name = "benchmark-logp";

int main(int argc, char** argv) {
  using namespace commgauge::tools;
  const MpiSession session(argc, argv);
  return session.leave(session.everywhere([] {
    run();
    return commgauge::ExitCode::done;
  }));
}
