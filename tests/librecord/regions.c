/* Says which part of it is which, by the functions of commgauge.h. */
#include <commgauge.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank = 0;
  commgauge_region_begin("too early");
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  commgauge_region_begin("solve");
  commgauge_region_begin("exchange");
  MPI_Barrier(MPI_COMM_WORLD);
  commgauge_region_end("exchange");
  commgauge_region_begin(NULL);
  commgauge_region_end("solve");
  MPI_Finalize();
  commgauge_region_end("too late");
  if (rank == 0) puts("over");
  return 0;
}
