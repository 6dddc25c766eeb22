// Messages round a ring, to be recorded: each round a rank sends SIZE bytes to the next one and
// receives as many from the one before.
//
//   mpiexec -n 16 record -o ring benchmark-ring ROUNDS [SIZE]

#include <mpi.h>

#include <cstdlib>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 3000;
  const int size = argc > 2 ? std::atoi(argv[2]) : 64;
  std::vector<char> data(static_cast<std::size_t>(size));
  MPI_Request request{};
  for (int k = 0; k < rounds; ++k) {
    MPI_Irecv(data.data(), size, MPI_BYTE, (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, &request);
    MPI_Send(data.data(), size, MPI_BYTE, (rank + 1) % ranks, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
