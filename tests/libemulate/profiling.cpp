// A program that measures itself: its own MPI_Send, which calls PMPI_Send, and calls by those names
// wherever they are possible. Prints the rank, what it received, how often it sent, and its time
// [s].

#include <mpi.h>

#include <cstdio>

namespace {

int sends = 0;

}  // namespace

extern "C" int MPI_Send(const void* buffer, int count, MPI_Datatype type, int to, int tag,
                        MPI_Comm comm) {
  ++sends;
  return PMPI_Send(buffer, count, type, to, tag, comm);
}

extern "C" double MPI_Wtime() { return PMPI_Wtime(); }

int main(int argc, char** argv) {
  PMPI_Init(&argc, &argv);
  int own = 0;
  int ranks = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &own);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int received = 0;
  if (own != 0) MPI_Recv(&received, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int to = 1; own == 0 && to < ranks; ++to) MPI_Send(&to, 1, MPI_INT, to, 5, MPI_COMM_WORLD);
  std::printf("%d %d %d %.12f\n", own, received, sends, MPI_Wtime());
  PMPI_Finalize();
}
