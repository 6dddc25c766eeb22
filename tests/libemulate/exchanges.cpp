// An all-to-all of so many bytes to each rank, and nothing else.
//
//   emulated-exchanges SIZE

#include <mpi.h>

#include <string>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int size = std::stoi(argv[1]);
  std::vector<char> out(static_cast<std::size_t>(ranks) * static_cast<std::size_t>(size));
  std::vector<char> in(out.size());
  MPI_Alltoall(out.data(), size, MPI_CHAR, in.data(), size, MPI_CHAR, MPI_COMM_WORLD);
  MPI_Finalize();
}
