// Times of flat scatters and gathers on a simulated machine, which has no noise.
//
//   flat_collectives SIZE [SIZE...]
//
// Prints operation,from,size_bytes,time_s for each root: from a barrier until the last rank is done.

#include <mpi.h>

#include <cstdio>
#include <string>
#include <vector>

namespace {

void scatter(std::vector<char>& block, int root, int rank, int ranks) {
  const int size = static_cast<int>(block.size());
  if (rank != root) {
    MPI_Recv(block.data(), size, MPI_BYTE, root, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return;
  }
  for (int peer = 0; peer < ranks; ++peer) {
    if (peer != root) MPI_Send(block.data(), size, MPI_BYTE, peer, 0, MPI_COMM_WORLD);
  }
}

void gather(std::vector<char>& block, int root, int rank, int ranks) {
  const int size = static_cast<int>(block.size());
  if (rank != root) {
    MPI_Send(block.data(), size, MPI_BYTE, root, 0, MPI_COMM_WORLD);
    return;
  }
  for (int peer = 0; peer < ranks; ++peer) {
    if (peer == root) continue;
    MPI_Recv(block.data(), size, MPI_BYTE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int ranks = 0;
  int rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int k = 1; k < argc; ++k) {
    std::vector<char> block(std::stoul(argv[k]));
    for (int root = 0; root < ranks; ++root) {
      for (const char* const operation : {"scatter", "gather"}) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double start = MPI_Wtime();
        (operation[0] == 's' ? scatter : gather)(block, root, rank, ranks);
        const double end = MPI_Wtime();
        double last = 0;
        MPI_Reduce(&end, &last, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
        if (rank == 0) {
          std::printf("%s,%d,%zu,%.9g\n", operation, root, block.size(), last - start);
        }
      }
    }
  }
  MPI_Finalize();
}
