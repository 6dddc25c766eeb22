// Times of MPI's blocking collective operations, as a program sees them: on a real machine and
// emulated.
//
//   collective-times REPETITIONS [OPERATION] SIZE [SIZE...]
//
// OPERATION may also be `across`: pairs of a rank of the first half and one of the second, at once.
//
// Prints operation,size_bytes,time_s, a line for each repetition: from a common start until the
// last rank is done. SIZE is a rank's data or, of all-gather and all-to-all, a block. All ranks
// read one clock.

#include <mpi.h>
#include <sched.h>
#include <unistd.h>

#include <cctype>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr MPI_Comm all = MPI_COMM_WORLD;
int ranks = 0;
int rank = 0;

/// Each rank of the first half sends to its like in the second.
void send_across(double* from, double* to, int count) {
  const int half = ranks / 2;
  if (rank < half) {
    MPI_Send(from, count, MPI_DOUBLE, rank + half, 0, all);
  } else if (rank < 2 * half) {
    MPI_Recv(to, count, MPI_DOUBLE, rank - half, 0, all, MPI_STATUS_IGNORE);
  }
}

/// Nothing is under way any more then.
double common_start() {
  constexpr double ahead = 5e-3;  ///< [s]
  MPI_Barrier(all);
  const double own = MPI_Wtime() + ahead;
  double start = 0;
  MPI_Allreduce(&own, &start, 1, MPI_DOUBLE, MPI_MAX, all);
  constexpr double polled = 0.5e-3;  ///< waking up takes a while [s]
  const double left = start - polled - MPI_Wtime();
  if (left > 0) usleep(static_cast<useconds_t>(left * 1e6));
  while (MPI_Wtime() < start) sched_yield();
  return start;
}

using Operations = std::vector<std::pair<std::string, std::function<void()>>>;

/// @param wanted  empty: all but pairs across, which are no collective operation
void measure(const Operations& operations, const std::string& wanted, int size, int repetitions) {
  for (const auto& [name, run] : operations) {
    if (wanted.empty() ? name == "across" : name != wanted) continue;
    for (int k = -1; k < repetitions; ++k) {
      const double start = common_start();
      run();
      const double end = MPI_Wtime();
      double last = 0;
      MPI_Allreduce(&end, &last, 1, MPI_DOUBLE, MPI_MAX, all);
      if (rank == 0 && k >= 0) std::printf("%s,%d,%.9g\n", name.c_str(), size, last - start);
    }
  }
}

Operations operations_of(int size, std::vector<double>& out, std::vector<double>& in) {
  const int count = size / static_cast<int>(sizeof(double));
  double* const from = out.data();
  double* const to = in.data();
  return {
      {"across", [=] { send_across(from, to, count); }},
      {"allreduce", [=] { MPI_Allreduce(from, to, count, MPI_DOUBLE, MPI_SUM, all); }},
      {"bcast", [=] { MPI_Bcast(from, count, MPI_DOUBLE, 0, all); }},
      {"reduce", [=] { MPI_Reduce(from, to, count, MPI_DOUBLE, MPI_SUM, 0, all); }},
      {"allgather", [=] { MPI_Allgather(from, count, MPI_DOUBLE, to, count, MPI_DOUBLE, all); }},
      {"alltoall", [=] { MPI_Alltoall(from, count, MPI_DOUBLE, to, count, MPI_DOUBLE, all); }},
      {"reducescatter",
       [=] { MPI_Reduce_scatter_block(from, to, count / ranks, MPI_DOUBLE, MPI_SUM, all); }},
  };
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_size(all, &ranks);
  MPI_Comm_rank(all, &rank);
  const int repetitions = argc > 1 ? std::stoi(argv[1]) : 3;
  const std::string wanted = argc > 2 && std::isalpha(argv[2][0]) != 0 ? argv[2] : "";
  for (int k = wanted.empty() ? 2 : 3; k < argc; ++k) {
    const int size = std::stoi(argv[k]);
    std::vector<double> out(static_cast<std::size_t>(ranks) * static_cast<std::size_t>(size) / 8 +
                            1);
    std::vector<double> in(out.size());
    measure(operations_of(size, out, in), wanted, size, repetitions);
  }
  std::fflush(stdout);
  MPI_Finalize();
}
