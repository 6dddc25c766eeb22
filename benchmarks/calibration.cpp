// What a calibration costs: seconds, the share spent inside timed communication, and rounds against
// the lower bound. Start it under mpiexec:
//
//   mpiexec -n 4 benchmark-calibration

#include <mpi.h>

#include <cstdio>

#include "commgauge/bench/calibrate/calibrate.hpp"
#include "common/output/report.hpp"
#include "measuring/mpi_session.hpp"

namespace {

void run() {
  const commgauge::bench::PlanSummary plan = commgauge::bench::plan(MPI_COMM_WORLD);
  const commgauge::Measurements measured = commgauge::bench::measure(MPI_COMM_WORLD);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) return;
  const commgauge::Launch& launch = measured.launches.front();
  std::size_t open = 0;
  for (const auto& row : measured.observations) open += !row.converged;
  std::printf("ranks                     %d\n", measured.ranks());
  std::printf("schedule, wait            %s, %s\n", launch.schedule.c_str(), launch.wait.c_str());
  std::printf("seconds                   %.2f (expected %.2f)\n", launch.elapsed_s,
              plan.expected.value);
  std::printf("inside timed regions      %.0f %%\n", 100 * launch.timed_s / launch.elapsed_s);
  std::printf("rounds of a pass          %ld, lower bound %ld: %.3f\n", plan.rounds,
              plan.lower_bound_rounds,
              static_cast<double>(plan.rounds) / static_cast<double>(plan.lower_bound_rounds));
  std::printf("experiments of a pass     %ld in %d passes, %zu of %zu not converged\n",
              plan.experiments, launch.passes, open, measured.observations.size());
}

}  // namespace

const char* const commgauge::tools::program_name = "benchmark-calibration";

int main(int argc, char** argv) {
  using namespace commgauge::tools;
  const MpiSession session(argc, argv);
  return session.leave(session.everywhere([] {
    run();
    return commgauge::ExitCode::done;
  }));
}
