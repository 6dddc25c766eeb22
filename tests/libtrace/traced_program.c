/* Calls that EZTrace records; with an argument one, too, that it doesn't. */
#include <mpi.h>

int main(int argc, char** argv) {
  char to[1000] = {0}, from[1000];
  int rank, ranks, one = 1, sum;
  MPI_Request requests[2];
  MPI_Status states[2];
  MPI_Comm halves;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (rank == 0) MPI_Send(to, 100, MPI_CHAR, 1, 5, MPI_COMM_WORLD);
  if (rank == 1) {
    MPI_Recv(from, 1000, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Irecv(from, 500, MPI_CHAR, (rank + ranks - 1) % ranks, 7, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(to, 50, MPI_CHAR, (rank + 1) % ranks, 7, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, states);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &halves);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, halves);
  MPI_Bcast(to, 20, MPI_CHAR, 0, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  if (argc > 1) {
    MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
