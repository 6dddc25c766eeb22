// How long finding the eager limit takes, and what is found. Start it under mpiexec, over shared
// memory or TCP:
//
//   mpiexec -n 2 benchmark-eager-probe
//   UCX_TLS=tcp,self mpiexec -n 2 benchmark-eager-probe

#include <mpi.h>

#include <cstdio>
#include <string>

#include "common/output/report.hpp"
#include "measuring/mpi_session.hpp"
#include "timing/eager_probe.hpp"

namespace {

constexpr commgauge::Bytes largest{1 << 20};

void run() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank > 1) return;
  const auto one_way = [](commgauge::Bytes size) {
    return commgauge::Seconds{1e-4 + 1e-9 * static_cast<double>(size.value)};
  };
  for (int repetition = 0; repetition < 5; ++repetition) {
    const double start = MPI_Wtime();
    const auto limit = commgauge::bench::probe_eager_limit(MPI_COMM_WORLD, 0, 1, largest, one_way);
    const double took = MPI_Wtime() - start;
    const std::string found = limit ? std::to_string(limit->value) + " bytes" : "above 1 MiB";
    if (rank == 0) std::printf("eager limit %-14s in %.2f s\n", found.c_str(), took);
  }
}

}  // namespace

const char* const commgauge::tools::program_name = "benchmark-eager-probe";

int main(int argc, char** argv) {
  using namespace commgauge::tools;
  const MpiSession session(argc, argv);
  return session.leave(session.everywhere([] {
    run();
    return commgauge::ExitCode::done;
  }));
}
