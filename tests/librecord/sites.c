/* Calls of MPI on lines that the test finds by their remarks. */
#include <mpi.h>

static void exchange(int own, int* value) {
  if (own == 0) {
    MPI_Send(value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD); /* first send */
    MPI_Send(value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD); /* second send */
  } else if (own == 1) {
    MPI_Recv(value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* first receive */
    MPI_Recv(value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* second receive */
  }
  MPI_Barrier(MPI_COMM_WORLD); /* barrier */
}

int main(int argc, char** argv) {
  int own = 0;
  int value = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &own);
  for (int turn = 0; turn < 2; ++turn) exchange(own, &value);
  if (own == 1) {
    MPI_Request request = MPI_REQUEST_NULL;
    int over = 0;
    MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request); /* start */
    MPI_Test(&request, &over, MPI_STATUS_IGNORE);                  /* test in vain */
    MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);            /* to itself */
    MPI_Wait(&request, MPI_STATUS_IGNORE);                         /* wait */
  }
  MPI_Finalize(); /* end */
  return 0;
}
